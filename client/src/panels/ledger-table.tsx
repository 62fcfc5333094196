// A table of the ledger with its heading.
import type { ComponentChildren } from 'preact'
import { ledgerWords } from '../words-ledger'

export function LedgerTable({
  title,
  first,
  children,
}: {
  title: string
  /** The heading of the first column. */
  first: string
  children: ComponentChildren
}) {
  return (
    <table class="ledger-table">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          <th scope="col">{ledgerWords.all}</th>
          <th scope="col" class="ledger-cached">
            {ledgerWords.cached}
          </th>
          <th scope="col">{ledgerWords.money}</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
