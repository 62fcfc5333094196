// What a coding agent has used and cost, with its sub-agents, and how full its context is. Only hosts get these
// numbers from the server.
import type { RealmModel } from '../state/model'
import { contextOf, spentBy } from '../state/usage'
import { facts } from '../words-format'
import { context, cost, ledgerWords } from '../words-ledger'
import { useSelect } from './use-select'

export function AgentCost({ realm, id }: { realm: RealmModel; id: string }) {
  const text = useSelect(() => {
    const rows = realm.world.usage ?? []
    const spent = spentBy(rows, id)
    if (spent.tokens === 0) return ''
    return facts([cost(spent), ledgerWords.sum(spent), context(contextOf(rows, id))])
  }, [realm, id])
  if (!text) return null
  return (
    <span class="quiet agent-cost" data-testid="agent-cost">
      {text}
    </span>
  )
}
