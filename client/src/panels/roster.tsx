// The roster: the roles with their holders and buttons, the other agents, the button of the ledger, and the people who
// watch.
import type { RealmModel } from '../state/model'
import { isRunning, otherAgents, seats, type OtherAgent } from '../state/roster'
import { words } from '../words'
import { agentsWords } from '../words-agents'
import { useApp } from './context'
import { BeginWork } from './begin-work'
import { Empty } from './empty'
import { LedgerButton } from './ledger-button'
import { OtherRow } from './other-row'
import { SeatRow } from './seat-row'
import { People } from './people'
import { useSelect } from './use-select'

export function Roster({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const list = useSelect(() => seats(app.model), [app])
  const others = useSelect(() => otherAgents(realm), [realm])
  const over = useSelect(() => realm.world.processState.status === 'completed', [realm])
  // After a process, who still works comes before those whose work is over.
  const othersFirst = over && others.some(isRunning)
  const rows = others.length > 0 && (
    <>
      <h3>{list.length > 0 && !othersFirst ? words.roster.others : words.roster.agents}</h3>
      {otherRows(realm, others)}
    </>
  )
  const seatRows = list.length > 0 && (
    <ul>
      {list.map((s) => (
        <SeatRow key={s.role.id} seat={s} realm={realm} />
      ))}
    </ul>
  )
  return (
    <section class="roster" data-testid="roster" aria-label={words.roster.title}>
      {othersFirst && rows}
      {(list.length > 0 || others.length === 0) && <h3>{words.roster.title}</h3>}
      {list.length === 0 && others.length === 0 && (
        <Empty text={words.roster.empty} next={words.roster.emptyNext}>
          <BeginWork realm={realm} any />
        </Empty>
      )}
      {othersFirst && seatRows ? (
        <details class="roster-over" data-testid="seats-over">
          <summary>{words.roster.over(list.length)}</summary>
          {seatRows}
        </details>
      ) : (
        seatRows
      )}
      {!othersFirst && rows}
      <LedgerButton realm={realm} />
      <People />
    </section>
  )
}

/** The rows of agents, each with its sub-agents below it. Those whose work is over are folded into one line. */
function otherRows(realm: RealmModel, list: readonly OtherAgent[], parent = '') {
  const row = (a: OtherAgent) => (
    <OtherRow key={a.id} agent={a} realm={realm}>
      {a.subs.length > 0 && otherRows(realm, a.subs, a.name)}
    </OtherRow>
  )
  const over = list.filter((a) => a.over)
  return (
    <ul aria-label={parent ? agentsWords.subs(parent) : undefined}>
      {list.filter((a) => !a.over).map(row)}
      {over.length > 0 && (
        <li key="over">
          <details class="roster-over" data-testid="agents-over">
            <summary>{agentsWords.over(over)}</summary>
            <ul>{over.map(row)}</ul>
          </details>
        </li>
      )}
    </ul>
  )
}
