// An agent in the ledger, followed by its sub-agents, indented. An agent's numbers include those of its sub-agents.
import type { Account } from '../state/usage'
import { agentName, cost, notes, tokens } from '../words-ledger'

export function LedgerAgent({ account: a, depth }: { account: Account; depth: number }) {
  const note = notes(a)
  return (
    <>
      <tr data-testid={`ledger-${a.agentId}`} data-check={a.check}>
        <th scope="row" style={{ '--depth': Math.min(depth, 3) }} class={depth > 0 ? 'ledger-sub' : ''}>
          {agentName(a)}
          {note && <span class="quiet ledger-note">{note}</span>}
        </th>
        <td>{tokens(a.spent.tokens)}</td>
        <td class="ledger-cached">{tokens(a.spent.cached)}</td>
        <td>{cost(a.spent)}</td>
      </tr>
      {a.subs.map((s) => (
        <LedgerAgent key={s.agentId} account={s} depth={depth + 1} />
      ))}
    </>
  )
}
