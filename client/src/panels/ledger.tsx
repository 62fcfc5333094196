// The ledger: what the coding agents of a realm have used and cost, by agent, by model and by day.
import { useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { accounts, byDay, byModel, spentOf } from '../state/usage'
import { cost, ledgerWords, tokens } from '../words-ledger'
import { useApp } from './context'
import { useListed } from './conversation/use-listed'
import { Dialog } from './dialog'
import { LedgerAgent } from './ledger-agent'
import { LedgerTable } from './ledger-table'
import { usePart, useSelect } from './use-select'

/** The number of agents that are shown at first: those that cost the most. */
const FIRST = 8

export function Ledger({ realm, onClose }: { realm: RealmModel; onClose: () => void }) {
  const app = useApp()
  const rows = usePart(() => realm.world.usage, [realm]) ?? []
  const list = useSelect(() => accounts(realm.world.usage ?? [], realm.world.sessions ?? []), [realm])
  const [whole, setWhole] = useState(false)
  useListed(realm) // for the titles of the sessions
  const open = (id: string) => {
    app.conversations.choose(id)
    onClose()
  }
  const all = spentOf(rows)
  const earlier = rows.filter((u) => u.agentId === '')
  const w = ledgerWords
  const lines = (of: ReturnType<typeof byModel>, unnamed: string) =>
    of.map(({ key, spent }) => (
      <tr key={key}>
        <th scope="row">{key || unnamed}</th>
        <td>{tokens(spent.tokens)}</td>
        <td class="ledger-cached">{tokens(spent.cached)}</td>
        <td>{cost(spent)}</td>
      </tr>
    ))
  return (
    <Dialog title={w.title(realm.world.realm.name)} onClose={onClose} testid="ledger">
      <p class="ledger-sum">
        <strong>{cost(all)}</strong> <span>{w.sum(all)}</span>
      </p>
      {all.unpriced > 0 && <p class="ledger-unknown">{w.unknown(all.unpriced)}</p>}
      <LedgerTable title={w.byAgent} first={w.agent}>
        {(whole ? list : list.slice(0, FIRST)).map((a) => (
          <LedgerAgent key={a.agentId} realm={realm} account={a} depth={0} onOpen={open} />
        ))}
        {earlier.length > 0 && lines(byDay(earlier), w.earlier)}
      </LedgerTable>
      {!whole && list.length > FIRST && (
        <button type="button" class="small" data-testid="ledger-more" onClick={() => setWhole(true)}>
          {w.more(list.length)}
        </button>
      )}
      <LedgerTable title={w.byModel} first={w.model}>
        {lines(byModel(rows), w.other)}
      </LedgerTable>
      <LedgerTable title={w.byDay} first={w.day}>
        {lines(byDay(rows), w.earlier)}
      </LedgerTable>
      <p class="quiet">{w.about}</p>
    </Dialog>
  )
}
