// The buttons for what a process waits for, which only hosts have: take a role, try again, skip, restart.
import { useState } from 'preact/hooks'
import type { Waiting } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { Confirm } from './confirm'
import { takeRole } from './take-role'

/** The maximum number of buttons for open roles. The roster has buttons for all open roles. */
const MAX_TAKES = 8

interface Props {
  code: Waiting['code']
  /** The ids of the open roles. */
  open: readonly string[]
  realm: RealmModel
  /** Whether only the main button is shown. Several open roles have none. */
  folded: boolean
  command: (text: string) => void
}

export function WaitingButtons({ code, open, realm, folded, command }: Props) {
  const app = useApp()
  const [restarting, setRestarting] = useState(false)
  const many = open.length > 1
  if (folded && many) return null
  return (
    <div class="buttons">
      {open.slice(0, MAX_TAKES).map((id, i) => (
        <button
          key={id}
          type="button"
          class={i === 0 ? 'primary' : ''}
          title={many ? words.stage.take(nameOf(realm, id)) : undefined}
          aria-label={words.stage.take(nameOf(realm, id))}
          onClick={() => takeRole(app, id)}
        >
          {many ? nameOf(realm, id) : folded ? words.stage.takeShort : words.stage.take(nameOf(realm, id))}
        </button>
      ))}
      {code !== 'role_open' && (
        <button type="button" class="primary" data-testid="resume" onClick={() => command('/resume')}>
          {code === 'approval' ? words.stage.go : words.stage.again}
        </button>
      )}
      {!folded && (
        <button type="button" data-testid="waiting-skip" onClick={() => command('/skip')}>
          {many ? words.stage.skipAll : words.stage.skip}
        </button>
      )}
      {!folded && code === 'turn_failed' && (
        <button type="button" data-testid="restart" onClick={() => setRestarting(true)}>
          {words.stage.restart}
        </button>
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
