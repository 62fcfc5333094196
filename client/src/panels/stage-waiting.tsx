// What a running process waits for, with a button for each thing that a person can do.
import { useState } from 'preact/hooks'
import type { Waiting } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { casting, nameOf } from '../state/select'
import { clock, words } from '../words'
import { useApp } from './context'
import { Confirm } from './confirm'
import { StateMark } from './state-mark'

/** The maximum number of buttons for open roles. The roster has buttons for all open roles. */
const MAX_TAKES = 8

export function StageWaiting({
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
  const many = open.length > 1
  return (
    <div class="needs needs-waiting" data-testid="waiting" data-code={waiting.code} role="status">
      <p>
        <StateMark state={waiting.code === 'turn_failed' ? 'interrupted' : 'waiting'} />
        <span>
          <strong>{words.stage.waiting[waiting.code] ?? ''}.</strong> {!(host && many) && waiting.message}
          {waiting.since && <span class="quiet"> {words.stage.waitingSince(clock(waiting.since))}</span>}
        </span>
      </p>
      {host && (
        <div class="buttons">
          {open.slice(0, MAX_TAKES).map((id, i) => (
            <button
              key={id}
              type="button"
              class={i === 0 ? 'primary' : ''}
              title={many ? words.stage.take(nameOf(realm, id)) : undefined}
              aria-label={words.stage.take(nameOf(realm, id))}
              onClick={() => app.send({ type: 'process:take-role', roleId: id })}
            >
              {many ? nameOf(realm, id) : words.stage.take(nameOf(realm, id))}
            </button>
          ))}
          {waiting.code !== 'role_open' && (
            <button type="button" class="primary" data-testid="resume" onClick={() => command('/resume')}>
              {waiting.code === 'approval' ? words.stage.go : words.stage.again}
            </button>
          )}
          <button type="button" data-testid="waiting-skip" onClick={() => command('/skip')}>
            {many ? words.stage.skipAll : words.stage.skip}
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
