// What the process waits for, with buttons.
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { useApp } from './context'
import { StageAway } from './stage-away'
import { StageWaiting } from './stage-waiting'

interface Props {
  realm: RealmModel
  /** Opens the dialog that starts a process. */
  onStart: () => void
  /** Shows the result of the process again; null if there is nothing to show. */
  onResult: (() => void) | null
}

export function StageNeeds({ realm, onStart, onResult }: Props) {
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
          {host && (
            <button type="button" class="start-another" data-testid="start-another" onClick={onStart}>
              {words.completion.again}
            </button>
          )}
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
  return (
    <>
      {p.waiting && <StageWaiting waiting={p.waiting} realm={realm} host={host} command={command} />}
      <StageAway realm={realm} command={command} />
    </>
  )
}
