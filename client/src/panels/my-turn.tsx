// Tells the person at this page that it is their turn: the role, the task, and the time until which they can answer.
// The task is shown whole until the transcript needs its space; the problem, which the stage bar has too, and what the
// role does have a line each.
import type { Ask } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf, role, stageAt } from '../state/select'
import { clock, words } from '../words'
import { Shield } from './shield'
import { Folding } from './folding'
import { OneLine } from './one-line'
import { taskOf } from './task-of'
import { useFoldingTask } from './use-folding-task'
import type { MyAsks } from './use-my-asks'

interface Props {
  realm: RealmModel
  ask: Ask
  asks: MyAsks
  /** What the person has typed. */
  text: string
  onPass: () => void
}

export function MyTurn({ realm, ask, asks: { mine, answerAs }, text, onPass }: Props) {
  const { folded, fold } = useFoldingTask(text)
  const at = stageAt(realm)
  const problem = realm.world.processState.problemStatement.trim()
  const asked = role(realm, ask.roleId)
  const task = ask.prompt ? taskOf(at?.stage.goal ?? '', ask.prompt) : at ? words.prompt.goal(at.stage.goal) : ''
  return (
    <div class={folded ? 'my-turn my-turn-folded' : 'my-turn'} data-testid="my-turn" data-role={ask.roleId}>
      <div class="my-turn-head">
        <Shield id={ask.roleId} name={nameOf(realm, ask.roleId)} color={asked?.color} />
        <strong role="status">{words.prompt.yourTurn(nameOf(realm, ask.roleId))}</strong>
        {ask.until && <span class="quiet">{words.prompt.until(clock(ask.until))}</span>}
        {folded && (
          <button type="button" class="link" aria-expanded={false} data-testid="task-show" onClick={() => fold(false)}>
            {words.prompt.task}
          </button>
        )}
        <button type="button" class="small" data-testid="skip" onClick={onPass}>
          {words.prompt.pass}
        </button>
      </div>
      {mine.length > 1 && (
        <label class="answer-as">
          <span>{words.prompt.answerAs}</span>
          <select value={ask.roleId} data-testid="answer-as" onChange={(e) => answerAs(e.currentTarget.value)}>
            {mine.map((a) => (
              <option key={a.requestId} value={a.roleId}>
                {nameOf(realm, a.roleId)}
              </option>
            ))}
          </select>
        </label>
      )}
      {!folded && (problem || task || asked?.persona) && (
        <div class="asked-text scroll" tabIndex={0} role="group" aria-label={words.prompt.read} key={ask.requestId}>
          {problem && <OneLine text={problem} class="asked-problem" testid="asked-problem" />}
          {task && task !== problem && (
            <div data-testid="asked-task">
              <Folding text={task} />
            </div>
          )}
          {asked?.persona && <OneLine text={asked.persona} class="asked-persona quiet" testid="asked-persona" />}
        </div>
      )}
    </div>
  )
}
