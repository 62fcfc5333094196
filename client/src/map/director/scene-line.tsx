// The line over the map that says why the scene is shown, and the switch of the director.
import { useApp } from '../../panels/context'
import { Breakable } from '../../panels/breakable'
import { directorWords } from '../../words-director'
import type { Shot } from './direct'

interface Props {
  shot: Shot | null
  /** Called when the person takes over the camera. */
  onTake: () => void
}

export function SceneLine({ shot, onTake }: Props) {
  const { watching, live } = useApp()
  const on = watching.directed.value
  const follows = on && watching.hero.value === null
  const state = !follows ? 'off' : shot?.why.kind === 'rest' ? 'rest' : 'on'
  const why = shot ? directorWords.why(shot.why) : ''
  const sentence = why && !live.value ? directorWords.lastSeen(why) : why
  return (
    <div class="scene-line">
      <button
        type="button"
        class="small"
        data-testid="follow-action"
        aria-pressed={follows}
        data-state={state}
        title={directorWords.actionHint[state]}
        onClick={() => (follows ? onTake() : watching.action())}
      >
        <span>
          {directorWords.action[0]} <span class="action-rest">{directorWords.action[1]}</span>
        </span>
      </button>
      {sentence && (
        <span class="scene-why" data-testid="scene" data-why={shot?.why.kind} title={sentence}>
          <Breakable text={sentence} />
        </span>
      )}
    </div>
  )
}
