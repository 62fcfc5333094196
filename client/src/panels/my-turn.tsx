// Tells the person at this page that it is their turn: the role, the task, and the time until which they can answer.
// The task is shown whole; the problem, which the stage bar has too, and what the role does have a line each.
import type { Ask } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf, role, stageAt } from '../state/select'
import { clock, words } from '../words'
import { Shield } from './shield'
import { Folding } from './folding'
import { OneLine } from './one-line'
import { taskOf } from './task-of'
import type { MyAsks } from './use-my-asks'

interface Props {
  realm: RealmModel
  ask: Ask
  asks: MyAsks
  onPass: () => void
}

export function MyTurn({ realm, ask, asks: { mine, answerAs }, onPass }: Props) {
  const at = stageAt(realm)
  const problem = realm.world.processState.problemStatement.trim()
  const asked = role(realm, ask.roleId)
  const task = ask.prompt ? taskOf(at?.stage.goal ?? '', ask.prompt) : at ? words.prompt.goal(at.stage.goal) : ''
  return (
    <div class="my-turn" data-testid="my-turn" data-role={ask.roleId}>
      <div class="my-turn-head">
        <Shield id={ask.roleId} name={nameOf(realm, ask.roleId)} color={asked?.color} />
        <strong role="status">{words.prompt.yourTurn(nameOf(realm, ask.roleId))}</strong>
        {ask.until && <span class="quiet">{words.prompt.until(clock(ask.until))}</span>}
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
      {(problem || task || asked?.persona) && (
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
