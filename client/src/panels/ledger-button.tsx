// The button that opens the ledger. Hosts see it as soon as a coding agent has used tokens.
import { useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { spentOf } from '../state/usage'
import { ledgerWords } from '../words-ledger'
import { Ledger } from './ledger'
import { useSelect } from './use-select'

export function LedgerButton({ realm }: { realm: RealmModel }) {
  const [open, setOpen] = useState(false)
  const spent = useSelect(() => spentOf(realm.world.usage ?? []), [realm])
  if (spent.tokens === 0) return null
  return (
    <>
      <button
        type="button"
        class="small ledger-open"
        data-testid="ledger-open"
        title={ledgerWords.hint}
        onClick={() => setOpen(true)}
      >
        {ledgerWords.open(spent)}
      </button>
      {open && <Ledger realm={realm} onClose={() => setOpen(false)} />}
    </>
  )
}
