// The stage bar: the current stage, its goal, who acts, what the process waits for, and buttons. On a phone all that
// does not fit into one line is folded, because the map needs the height.
import type { ComponentChild } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useLayout } from '../screens/viewport'
import type { RealmModel } from '../state/model'
import { stageAt } from '../state/select'
import { words } from '../words'
import { StateMark } from './state-mark'
import { StageNone } from './stage-none'
import { StageProblem } from './stage-problem'
import { StageWho } from './stage-who'
import { StageAt } from './stage-at'
import { StageGoal } from './stage-goal'
import { StageNeeds } from './stage-needs'
import { useCut } from './use-cut'

interface Props {
  realm: RealmModel
  onStart: () => void
  /** Shows the result of the process again; null if the page already shows the result, or if the process has none. */
  onResult: (() => void) | null
  /** The title of the stage, which covers the bar for some seconds. */
  title?: ComponentChild
}

export function StageBar({ realm, onStart, onResult, title }: Props) {
  const [whole, setWhole] = useState(false)
  const phone = useLayout() === 'phone'
  const main = useRef<HTMLDivElement>(null)
  const at = stageAt(realm)
  const cut = useCut(main, whole)
  if (at === null) return <StageNone onStart={onStart} />
  const p = realm.world.processState
  const { stage } = at
  const done = p.status === 'completed'
  const folded = phone && !done && !whole
  const problem = p.problemStatement.trim()
  const goal = done ? '' : stage.goal
  return (
    <section
      class={`stage-bar stage-${p.status}${folded ? ' stage-folded' : ''}`}
      data-testid="stage-bar"
      data-status={p.status}
      data-stage={stage.id}
      aria-label={words.stage.label}
    >
      <div class="stage-main" ref={main}>
        {!folded && <StageProblem text={problem} whole={whole} onPress={() => (cut || whole) && setWhole(!whole)} />}
        <div class="stage-head">
          <StageAt index={at.index} total={at.total} short={folded} />
          <h2>{stage.name}</h2>
          {p.stageAttempt > 1 && <span class="quiet">{words.stage.attempt(p.stageAttempt)}</span>}
          {done && (
            <span class={p.early ? 'chip' : 'chip chip-done'}>
              <StateMark state={p.early ? 'open' : 'done'} />
              {p.early ? words.stage.ended : words.stage.completed}
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
              <li
                key={s.id}
                title={s.name}
                class={(done && !p.early) || i < at.index ? 'past' : i === at.index ? 'now' : ''}
              />
            ))}
          </ol>
          <StageWho realm={realm} />
          {(folded || cut || whole) && (
            <button
              type="button"
              class="link"
              aria-expanded={whole}
              data-testid="stage-more"
              onClick={() => setWhole(!whole)}
            >
              {whole ? words.stage.less : words.stage.more}
            </button>
          )}
        </div>
        {!folded && <StageGoal goal={goal} parallel={stage.structure === 'parallel'} whole={whole} />}
        {!whole && title}
      </div>
      <StageNeeds realm={realm} onStart={onStart} onResult={onResult} />
    </section>
  )
}
