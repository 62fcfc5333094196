// Shows below the head of a forge which of the six phases is current, what the check of the skill found and, folded,
// what the smith knows.

import { title } from '../../words'
import type { ConversationProps } from '../kind'
import { coded } from './coded'
import { phaseOf } from './state'
import { forgeWords } from './words'

/**
 * The topic whose lines are the problems that the check of the skill found. The lines of every other topic are what a
 * person answered.
 */
const PROBLEMS = 'problems'

export function ForgeHead({ view }: ConversationProps) {
  const f = view.plan.forge
  const w = forgeWords
  const phase = phaseOf(f)
  if (!f || phase < 0) return null
  const known = (f.known ?? []).filter((k) => k.topic !== PROBLEMS)
  const problems = f.known?.find((k) => k.topic === PROBLEMS)?.lines ?? []
  const name =
    phase >= w.phases.length
      ? w.made
      : f.state === 'checking_existing'
        ? w.existing
        : f.state === 'fixing_errors'
          ? w.fixing
          : f.state === 'error'
            ? w.failed
            : (w.phases[phase] ?? '')
  const label = phase >= w.phases.length ? w.made : w.phase(name, w.at(phase + 1, w.phases.length))
  return (
    <>
      <div class="phases" role="img" aria-label={label} title={label} data-testid="forge-phase" data-state={f.state}>
        {w.phases.map((p, i) => (
          <span
            key={p}
            class={
              i < phase
                ? 'phase phase-past'
                : i === phase
                  ? f.state === 'error'
                    ? 'phase phase-now phase-bad'
                    : 'phase phase-now'
                  : 'phase'
            }
          >
            <span>{p}</span>
          </span>
        ))}
      </div>
      {problems.length > 0 && (
        <div class="forge-problems" role="status" data-testid="forge-problems">
          <strong>{w.topics[PROBLEMS]}</strong>
          <ul>
            {problems.map((line, i) => (
              <li key={i}>{coded(line)}</li>
            ))}
          </ul>
        </div>
      )}
      {known.length > 0 && (
        <details class="known" data-testid="forge-known">
          <summary>
            {w.known(known.length)}
            {f.skill && !view.title.includes(f.skill) && <code>{f.skill}</code>}
          </summary>
          <dl>
            {known.map((k) => (
              <div key={k.topic}>
                <dt>{w.topics[k.topic] ?? title(k.topic)}</dt>
                <dd>
                  {k.lines.length === 1 ? (
                    coded(k.lines[0] ?? '')
                  ) : (
                    <ul>
                      {k.lines.map((line, i) => (
                        <li key={i}>{coded(line)}</li>
                      ))}
                    </ul>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}
