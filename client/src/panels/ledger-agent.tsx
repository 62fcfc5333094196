// A session in the ledger, with a button that opens it, followed by its sub-agents, indented. An agent's numbers
// include those of its sub-agents.
import { spanOf } from '../state/conversations'
import { isErased } from '../state/erased'
import type { RealmModel } from '../state/model'
import { titleOf } from '../state/roster'
import type { Account } from '../state/usage'
import { agentsWords } from '../words-agents'
import { agentName, cost, notes, tokens } from '../words-ledger'
import { useSelect } from './use-select'

interface Props {
  realm: RealmModel
  account: Account
  depth: number
  onOpen: (conversationId: string) => void
}

export function LedgerAgent({ realm, account: a, depth, onOpen }: Props) {
  const id = a.conversationId
  const opens = useSelect(() => id !== '' && !isErased(realm, id), [realm, id])
  const title = useSelect(() => titleOf(realm, id), [realm, id])
  const ran = useSelect(() => spanOf(realm, id), [realm, id])
  const name = title || agentName(a)
  const note = notes(a, title, ran)
  return (
    <>
      <tr data-testid={`ledger-${a.agentId}`} data-check={a.check}>
        <th scope="row" style={{ '--depth': Math.min(depth, 3) }} class={depth > 0 ? 'ledger-sub' : ''}>
          {opens ? (
            <button type="button" class="link" title={agentsWords.open} onClick={() => onOpen(id)}>
              {name}
            </button>
          ) : (
            name
          )}
          {note && <span class="quiet ledger-note">{note}</span>}
        </th>
        <td>{tokens(a.spent.tokens)}</td>
        <td class="ledger-cached">{tokens(a.spent.cached)}</td>
        <td>{cost(a.spent)}</td>
      </tr>
      {a.subs.map((s) => (
        <LedgerAgent key={s.agentId} realm={realm} account={s} depth={depth + 1} onOpen={onOpen} />
      ))}
    </>
  )
}
