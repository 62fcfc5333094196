// The roster: the roles with their holders and buttons, the other agents, the button of the ledger, and the people who
// watch.
import type { RealmModel } from '../state/model'
import { isRunning, otherAgents, seats } from '../state/roster'
import { words } from '../words'
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
  const otherRows = others.length > 0 && (
    <>
      <h3>{list.length > 0 && !othersFirst ? words.roster.others : words.roster.agents}</h3>
      <ul>
        {others.map((a) => (
          <OtherRow key={a.id} agent={a} realm={realm} />
        ))}
      </ul>
    </>
  )
  return (
    <section class="roster" data-testid="roster" aria-label={words.roster.title}>
      {othersFirst && otherRows}
      {(list.length > 0 || others.length === 0) && <h3>{words.roster.title}</h3>}
      {list.length === 0 && others.length === 0 && (
        <Empty text={words.roster.empty} next={words.roster.emptyNext}>
          <BeginWork realm={realm} any />
        </Empty>
      )}
      <ul>
        {list.map((s) => (
          <SeatRow key={s.role.id} seat={s} realm={realm} />
        ))}
      </ul>
      {!othersFirst && otherRows}
      <LedgerButton realm={realm} />
      <People />
    </section>
  )
}
