// The stage track: which stage, what for, who acts, what it waits for and what a
// person can do about that.
import { useState } from 'preact/hooks'
import type { Waiting } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { acting, asks, casting, colorOf, nameOf, processView, stageAt } from '../state/select'
import { clock, join, words } from '../words'
import { useApp } from './context'
import { Confirm } from './dialog'
import { Shield, StateMark } from './marks'

export function StageBar({ onStart, onResult }: { onStart: () => void; onResult: (() => void) | null }) {
  const app = useApp()
  const [whole, setWhole] = useState(false)
  const { realm } = app.model.value
  if (!realm) return null
  const at = stageAt(realm)
  if (at === null) {
    return (
      <section class="stage-bar stage-none" data-testid="stage-bar" aria-label={words.stage.label}>
        <p>
          {words.stage.none} <span class="quiet">{app.host.value ? words.stage.noneNext : words.stage.noneHost}</span>
        </p>
        {app.host.value && (
          <button type="button" class="primary" data-testid="new-process" onClick={onStart}>
            {words.stage.start}
          </button>
        )}
      </section>
    )
  }
  const p = realm.world.processState
  const { stage } = at
  const done = p.status === 'completed'
  const text = done ? p.problemStatement : stage.goal
  return (
    <section
      class={`stage-bar stage-${p.status}`}
      data-testid="stage-bar"
      data-status={p.status}
      data-stage={stage.id}
      aria-label={words.stage.label}
    >
      <div class="stage-main">
        <div class="stage-head">
          <span class="stage-at">{words.stage.at(at.index + 1, at.total)}</span>
          <h2>{stage.name}</h2>
          {p.stageAttempt > 1 && <span class="quiet">{words.stage.attempt(p.stageAttempt)}</span>}
          {done && (
            <span class="chip chip-done">
              <StateMark state="done" />
              {words.stage.completed}
            </span>
          )}
          {p.status === 'paused' && (
            <span class="chip chip-paused">
              <StateMark state="waiting" />
              {words.stage.paused}
            </span>
          )}
          <ol class="track" aria-hidden="true">
            {p.template?.stages.map((s, i) => (
              <li key={s.id} title={s.name} class={done || i < at.index ? 'past' : i === at.index ? 'now' : ''} />
            ))}
          </ol>
        </div>
        <p class={whole ? 'goal' : 'goal clamp'} title={whole ? undefined : text}>
          {text}
        </p>
        <div class="stage-who">
          <Who realm={realm} />
          {text.length > 90 && (
            <button type="button" class="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
              {whole ? words.stage.less : words.stage.more}
            </button>
          )}
        </div>
      </div>
      <Needs realm={realm} onResult={onResult} />
    </section>
  )
}

function Who({ realm }: { realm: RealmModel }) {
  const at = stageAt(realm)
  const p = realm.world.processState
  if (at === null || p.status === 'completed') return null
  const asked = asks(realm).map((a) => a.roleId)
  const running = (processView(realm)?.activeRuns ?? [])
    .map((r) => r.turn?.roleId ?? r.memberId)
    .filter((id) => !asked.includes(id))
  const parts = [
    asked.length > 0 ? words.stage.asked(join(asked.map((id) => nameOf(realm, id)))) : '',
    running.length > 0 ? words.stage.running(join(running.map((id) => nameOf(realm, id)))) : '',
  ].filter(Boolean)
  return (
    <span class="who-acts">
      <span class="shields" aria-hidden="true">
        {acting(at.stage).map((id) => (
          <span key={id} class={asked.includes(id) || running.includes(id) ? 'lit' : ''} title={nameOf(realm, id)}>
            <Shield
              id={id}
              name={nameOf(realm, id)}
              color={colorOf(realm, id)}
              open={casting(realm, id)?.kind === 'open'}
            />
          </span>
        ))}
      </span>
      <span>{parts.length > 0 ? parts.join(' · ') : words.stage.quiet}</span>
      {at.stage.structure === 'parallel' && <span class="quiet structure">{words.stage.parallel}</span>}
    </span>
  )
}

/** What the process waits for, and the buttons that help. */
function Needs({ realm, onResult }: { realm: RealmModel; onResult: (() => void) | null }) {
  const app = useApp()
  const p = realm.world.processState
  const host = app.host.value
  const command = (text: string) => app.send({ type: 'player:command', text })
  if (p.status === 'completed') {
    return (
      onResult && (
        <div class="needs needs-done">
          <button type="button" onClick={onResult}>
            {words.stage.result}
          </button>
        </div>
      )
    )
  }
  if (p.status === 'paused') {
    return (
      <div class="needs" data-testid="waiting" data-code="paused">
        <p>{p.reason || words.stage.pausedText}</p>
        {host && (
          <div class="buttons">
            <button type="button" class="primary" data-testid="resume" onClick={() => command('/resume')}>
              {words.stage.resume}
            </button>
          </div>
        )}
      </div>
    )
  }
  if (p.pausing) {
    return (
      <div class="needs" data-testid="waiting" data-code="pausing">
        <p>{words.stage.pausing}</p>
        {host && (
          <div class="buttons">
            <button type="button" data-testid="resume" onClick={() => command('/resume')}>
              {words.stage.resume}
            </button>
          </div>
        )}
      </div>
    )
  }
  if (!p.waiting) return null
  return <WaitingFor waiting={p.waiting} realm={realm} host={host} command={command} />
}

/** How many buttons for open roles fit; the roster has them all. */
const MOST_TAKES = 3

function WaitingFor({
  waiting,
  realm,
  host,
  command,
}: {
  waiting: Waiting
  realm: RealmModel
  host: boolean
  command: (text: string) => void
}) {
  const app = useApp()
  const [restarting, setRestarting] = useState(false)
  const roles = waiting.roleIds ?? []
  const open = roles.filter((id) => casting(realm, id)?.kind === 'open')
  return (
    <div class="needs needs-waiting" data-testid="waiting" data-code={waiting.code} role="status">
      <p>
        <StateMark state={waiting.code === 'turn_failed' ? 'interrupted' : 'waiting'} />
        <span>
          <strong>{words.stage.waiting[waiting.code] ?? ''}.</strong> {waiting.message}
          {waiting.since && <span class="quiet"> {words.stage.waitingSince(clock(waiting.since))}</span>}
        </span>
      </p>
      {host && (
        <div class="buttons">
          {open.slice(0, MOST_TAKES).map((id, i) => (
            <button
              key={id}
              type="button"
              class={i === 0 ? 'primary' : ''}
              onClick={() => app.send({ type: 'process:take-role', roleId: id })}
            >
              {words.stage.take(nameOf(realm, id))}
            </button>
          ))}
          {waiting.code !== 'role_open' && (
            <button type="button" class="primary" data-testid="resume" onClick={() => command('/resume')}>
              {waiting.code === 'approval' ? words.stage.go : words.stage.again}
            </button>
          )}
          <button type="button" data-testid="waiting-skip" onClick={() => command('/skip')}>
            {words.stage.skip}
          </button>
          {waiting.code === 'turn_failed' && (
            <button type="button" data-testid="restart" onClick={() => setRestarting(true)}>
              {words.stage.restart}
            </button>
          )}
        </div>
      )}
      {restarting && (
        <Confirm
          title={words.stage.restartAsk}
          text={words.stage.restartText}
          yes={words.stage.restart}
          no={words.stage.cancel}
          onYes={() => {
            setRestarting(false)
            command('/restart')
          }}
          onNo={() => setRestarting(false)}
        />
      )}
    </div>
  )
}
