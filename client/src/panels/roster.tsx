// Who plays what: the roles of the process with who holds them, what they do and
// the buttons to take and free them; under them the people who watch.
import type { CommandFrame } from '../net/outbox'
import type { TemplateInfo } from '../net/protocol.gen'
import type { Model } from '../state/model'
import { seats, type Seat } from '../state/select'
import { activityWord, words } from '../words'
import { useApp } from './context'
import { Shield, StateMark, type State } from './marks'
import { HeroMenu } from './talk/hero-actions'
import { toneStyle } from './tones'

const MARK: Record<Seat['doing'], State> = {
  open: 'open',
  asked: 'reading',
  running: 'running',
  done: 'done',
  waiting: 'waiting',
  idle: 'waiting',
}

/** People named before the rest is counted. */
const MOST_PEOPLE = 12

export function Roster() {
  const app = useApp()
  const m = app.model.value
  const list = seats(m)
  const over = m.realm?.world.processState.status === 'completed'
  const others = (m.realm?.world.agents ?? []).filter((a) => !list.some((s) => s.casting.memberId === a.id))
  return (
    <section class="roster" data-testid="roster" aria-label={words.roster.title}>
      {(list.length > 0 || others.length === 0) && <h3>{words.roster.title}</h3>}
      {list.length === 0 && others.length === 0 && <p class="quiet">{words.roster.empty}</p>}
      <ul>
        {list.map((s) => (
          <SeatRow key={s.role.id} seat={s} over={over} />
        ))}
      </ul>
      {others.length > 0 && (
        <>
          <h3>{words.roster.others}</h3>
          <ul>
            {others.map((a) => (
              <li key={a.id} class="seat">
                <Shield id={a.id} name={a.displayName} color={a.color} />
                <span class="seat-text">
                  <span class="seat-name">{a.displayName}</span>
                  <span class="quiet">
                    {activityWord(a.activity) || words.roster.doing[a.status === 'running' ? 'running' : 'idle']}
                  </span>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <People />
    </section>
  )
}

function SeatRow({ seat: s, over }: { seat: Seat; over: boolean }) {
  const app = useApp()
  const asking = waitsFor(
    app.pending.value.filter((p) => p.status !== 'refused').map((p) => p.frame),
    s,
  )
  const thought = app.model.value.realm?.thoughts[s.casting.memberId]
  const doing =
    s.mine && s.doing === 'asked'
      ? words.roster.yourTurn
      : s.doing === 'running' && s.agent?.activity
        ? activityWord(s.agent.activity)
        : words.roster.doing[s.doing]
  return (
    <li
      class={`seat${s.acts ? ' seat-acts' : ''}${s.mine ? ' seat-mine' : ''}`}
      data-testid={`seat-${s.role.id}`}
      data-kind={s.casting.kind}
      data-doing={s.doing}
    >
      <Shield id={s.role.id} name={s.role.name} color={s.role.color} open={s.casting.kind === 'open'} />
      <span class="seat-text">
        <span class="seat-name" title={s.role.persona}>
          {s.role.name}
          <HeroMenu id={s.casting.memberId} name={s.role.name} />
          {s.wanted > 0 && (
            <span class="quiet turns"> {words.roster.turns(Math.min(s.turns, s.wanted), s.wanted)}</span>
          )}
        </span>
        <span class={`doing doing-${s.doing}`}>
          <StateMark state={MARK[s.doing]} />
          {s.casting.kind === 'human' && (
            <span class="holder">{s.mine ? words.roster.you : s.casting.name || words.note.somebody}</span>
          )}
          {s.casting.kind === 'agent' && <span class="holder">{words.roster.players[player(app.model.value)]}</span>}
          <span>{doing}</span>
        </span>
        {thought && s.doing === 'running' && <span class="thought">{thought}</span>}
      </span>
      {app.host.value && !over && (
        <span class="seat-buttons">
          {s.casting.kind === 'open' && (
            <button
              type="button"
              class={s.acts ? 'small primary' : 'small ghost'}
              data-testid={`take-role-${s.role.id}`}
              disabled={asking}
              onClick={() => app.send({ type: 'process:take-role', roleId: s.role.id })}
            >
              {words.roster.take}
            </button>
          )}
          {s.casting.kind === 'agent' && (
            <button
              type="button"
              class="link"
              data-testid={`take-role-${s.role.id}`}
              disabled={asking}
              title={words.roster.takeFrom}
              onClick={() => app.send({ type: 'process:take-role', roleId: s.role.id })}
            >
              {words.roster.takeFrom}
            </button>
          )}
          {s.casting.kind === 'human' && (
            <button
              type="button"
              class="link"
              data-testid={`free-role-${s.role.id}`}
              disabled={asking}
              onClick={() => app.send({ type: 'player:dismiss-agent', agentId: s.casting.memberId })}
            >
              {s.mine ? words.roster.leave : words.roster.free}
            </button>
          )}
        </span>
      )}
    </li>
  )
}

/** What plays the agents of the process at hand, as the server says it of its template. */
function player({ server, realm }: Model): TemplateInfo['driver'] {
  const id = realm?.world.processState.template?.id
  return server?.templates.find((t) => t.id === id)?.driver ?? 'none'
}

/** Whether a command for this role is on its way. */
function waitsFor(frames: readonly CommandFrame[], s: Seat): boolean {
  return frames.some(
    (f) =>
      (f.type === 'process:take-role' && f.roleId === s.role.id) ||
      (f.type === 'player:dismiss-agent' && f.agentId === s.casting.memberId),
  )
}

function People() {
  const app = useApp()
  const { spectators, me } = app.model.value
  const n = Math.max(spectators.count, spectators.list.length)
  if (n === 0) return null
  const shown = spectators.list.slice(0, MOST_PEOPLE)
  return (
    <div class="people" data-testid="people">
      <h3>{words.roster.here(n)}</h3>
      <ul>
        {shown.map((s) => (
          <li key={s.spectatorId}>
            <span class="dot" style={toneStyle(s.color)} />
            <span class="person">{s.name}</span>
            {s.spectatorId === me?.spectatorId && <span class="quiet"> {words.roster.you}</span>}
          </li>
        ))}
        {n > shown.length && <li class="quiet">{words.roster.more(n - shown.length)}</li>}
      </ul>
    </div>
  )
}
