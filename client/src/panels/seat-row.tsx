// A role of the process: its holder, what they do, and buttons. What an open role does is a hint of the pointer on a
// desk, and a line elsewhere.
import type { TemplateInfo } from '../net/protocol.gen'
import type { Model, RealmModel } from '../state/model'
import type { Seat } from '../state/roster'
import { words } from '../words'
import { seatDoing } from '../words-hero'
import { useLayout } from '../screens/viewport'
import { useApp } from './context'
import { FollowButton } from './follow-button'
import { ReadFiles } from './read-files'
import { OneLine } from './one-line'
import { Shield } from './shield'
import { StateMark, type State } from './state-mark'
import { SeatButtons } from './seat-buttons'
import { HeroMenu } from './conversation/hero-menu'
import { useSelect } from './use-select'

const MARK: Record<Seat['doing'], State> = {
  open: 'open',
  asked: 'reading',
  running: 'running',
  done: 'done',
  waiting: 'waiting',
  idle: 'waiting',
}

export function SeatRow({ seat: s, realm }: { seat: Seat; realm: RealmModel }) {
  const app = useApp()
  const layout = useLayout()
  const thought = useSelect(() => realm.thoughts[s.casting.memberId], [realm, s.casting.memberId])
  const driver = useSelect(() => player(app.model), [app])
  return (
    <li
      class={`seat${s.acts ? ' seat-acts' : ''}${s.mine ? ' seat-mine' : ''}`}
      data-testid={`seat-${s.role.id}`}
      data-kind={s.casting.kind}
      data-doing={s.doing}
    >
      <Shield id={s.role.id} name={s.name} color={s.color} open={s.casting.kind === 'open'} />
      <span class="seat-text">
        <span class="seat-head">
          <span class="seat-name" title={s.role.persona}>
            {s.name}
          </span>
          <FollowButton realm={realm} id={s.casting.memberId} name={s.name} />
          <HeroMenu id={s.casting.memberId} name={s.name} />
        </span>
        <span class={`doing doing-${s.doing}`}>
          <StateMark state={MARK[s.doing]} />
          {s.casting.kind === 'human' && (
            <span class="holder">{s.mine ? words.roster.you : s.casting.name || words.note.somebody}</span>
          )}
          {s.casting.kind === 'agent' && <span class="holder">{words.roster.players[driver]}</span>}
          <span>{seatDoing(s)}</span>
          {s.doing === 'running' && s.casting.kind === 'agent' && <ReadFiles realm={realm} />}
          {s.wanted > 0 && <span class="quiet turns">{words.roster.turns(Math.min(s.turns, s.wanted), s.wanted)}</span>}
        </span>
        {s.casting.kind === 'open' && s.role.persona && layout !== 'desk' && (
          <OneLine text={s.role.persona} class="quiet meta" testid={`persona-${s.role.id}`} />
        )}
        {thought && s.doing === 'running' && <span class="thought">{thought}</span>}
      </span>
      <SeatButtons seat={s} realm={realm} />
    </li>
  )
}

/** The name of the driver (a script, a model or the scouts) that plays the agents of the current process. */
function player({ server, realm }: Model): TemplateInfo['driver'] {
  const id = realm?.world.processState.template?.id
  return server?.templates.find((t) => t.id === id)?.driver ?? 'none'
}
