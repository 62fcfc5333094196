// What a forge shows beside its rows: how far it is, what is known so far, the answers
// to choose from, that somebody is at work, and the skill at the end.
import { Fragment, type ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView, ForgeQuestion } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { isForging, phaseOf, skillOf } from '../../state/party'
import { title, words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../marks'
import { StopRun } from './stop-run'

/** The topic of what is known under which the check's findings stand; the others are what was gathered. */
const PROBLEMS = 'problems'
/** After this long somebody at work is said to take long, in milliseconds. */
const SLOW_MS = 60_000
/** A longer question is read out as the smith's row, not as a label too, in characters. */
const MOST_LABEL = 200
/** The answer that says "none of them". */
const NONE = 'none'

/** In the head: the phase as a line of six, and what is known behind a fold. */
export function ForgeHead({ view }: { view: ConversationView }) {
  const f = view.plan.forge
  const w = words.forge
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

/** Somebody is at work: said in words, stoppable, and it says so when it takes long. */
export function ForgeWorking({ view }: { view: ConversationView }) {
  const f = view.plan.forge
  const working = f?.working ?? ''
  const run = view.activeRuns[0]
  const on = working !== ''
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    setSlow(false)
    if (!on) return
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [on, f?.state, run?.requestId])
  if (!on) return null
  return (
    <p class="thinking" role="status" data-testid="forge-working" data-working={working}>
      <StateMark state="running" />
      <span>
        {words.forge.working[working] ?? words.forge.working['model']}
        {slow && <span class="quiet"> {words.forge.slow}</span>}
      </span>
      {run && <StopRun view={view} requestId={run.requestId} />}
    </p>
  )
}

/**
 * The options of the question that waits: one is an answer at once, many wait for Done. Arrows walk, numbers choose.
 */
export function ForgeOptions({
  view,
  question: q,
  picked,
  onPick,
  busy,
}: {
  view: ConversationView
  question: ForgeQuestion
  picked: readonly string[]
  onPick: (ids: readonly string[]) => void
  busy: boolean
}) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const w = words.forge
  if (q.options.length === 0) return null
  const sent = app.pending.value.some(
    (p) => p.status !== 'refused' && p.frame.type === 'chat.send' && p.frame.conversationId === view.conversationId,
  )
  const off = busy || sent
  const choose = (id: string) => {
    if (off) return
    if (q.many) onPick(pickOne(picked, id))
    else app.talks.say(view.conversationId, '', undefined, [id])
  }
  const onKey = (e: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll<HTMLButtonElement>('button') ?? [])]
    const i = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (e.key === 'ArrowDown' || e.key === 'ArrowRight') buttons[Math.min(buttons.length - 1, i + 1)]?.focus()
    else if (e.key === 'ArrowUp' || e.key === 'ArrowLeft') buttons[Math.max(0, i - 1)]?.focus()
    else if (/^[1-9]$/.test(e.key) && q.options[Number(e.key) - 1]) choose(q.options[Number(e.key) - 1]?.id ?? '')
    else return
    e.preventDefault()
  }
  return (
    <div
      ref={box}
      class="options"
      role="group"
      aria-label={q.text !== '' && q.text.length <= MOST_LABEL ? q.text.replaceAll('`', '') : w.answers}
      data-testid="forge-options"
      data-topic={q.topic}
      onKeyDown={onKey}
    >
      <div class="options-list">
        {q.options.map((o, i) => (
          <button
            key={o.id}
            type="button"
            class="option"
            aria-pressed={q.many ? picked.includes(o.id) : undefined}
            disabled={off}
            data-testid={`option-${o.id}`}
            onClick={() => choose(o.id)}
          >
            <span class="option-n" aria-hidden="true">
              {i + 1}
            </span>
            <span>{coded(o.label)}</span>
          </button>
        ))}
      </div>
      {q.many && (
        <div class="options-foot">
          <span class="quiet meta">{w.many}</span>
          <button
            type="submit"
            class={picked.length > 0 ? 'small primary' : 'small'}
            disabled={off}
            data-testid="forge-done"
          >
            {picked.length > 0 ? w.doneN(picked.length) : w.done}
          </button>
        </div>
      )}
    </div>
  )
}

/** What is chosen after one more choice: "none of them" goes with no other. */
export function pickOne(picked: readonly string[], id: string): readonly string[] {
  if (picked.includes(id)) return picked.filter((x) => x !== id)
  return id === NONE ? [NONE] : [...picked.filter((x) => x !== NONE), id]
}

/** Where the focus goes when the next question stands: its first answer, or the place for words. */
export function focusAnswer(form: HTMLElement | null): void {
  form?.querySelector<HTMLElement>('.option, textarea')?.focus()
}

/** A line whose parts in backticks are code, as the transcript shows them. */
function coded(label: string) {
  return label.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{atSlashes(part)}</code> : part))
}

/** A path goes on in the next line after a slash, before a name is broken. */
function atSlashes(path: string): ComponentChildren {
  return path.split('/').map((name, i) => (
    <Fragment key={i}>
      {i > 0 && (
        <>
          /<wbr />
        </>
      )}
      {name}
    </Fragment>
  ))
}

/** What somebody chose, in the words of the buttons, while the server has not answered. */
export function choiceText(view: ConversationView | null, ids: readonly string[]): string {
  const options = view?.plan.forge?.question?.options ?? []
  return words.forge.choice(
    ids.map((id) => options.find((o) => o.id === id)?.label.replaceAll('`', '') ?? id).join(', '),
  )
}

/** The end of a forge: the skill, to read and to give. */
export function ForgeDone({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const skill = skillOf(realm, view)
  const done = view.plan.forge?.state === 'completed' && skill !== null
  const read = useRef<HTMLButtonElement>(null)
  const before = useRef(done)
  // Who was answering by keys has no place to be any more: the skill is the next one.
  useEffect(() => {
    if (done && !before.current && (document.activeElement ?? document.body) === document.body) read.current?.focus()
    before.current = done
  }, [done])
  if (!done) return null
  return (
    <div class="forge-made" data-testid="forge-made" data-skill={skill.name}>
      <StateMark state="done" />
      <p>
        <strong>{words.forge.ready(skill.name)}</strong>{' '}
        <span class="quiet">{words.forge.given(skill.agents.length)}</span>
      </p>
      <button
        ref={read}
        type="button"
        class="small primary"
        data-testid="forge-read"
        onClick={() => (app.talks.skill.value = skill.name)}
      >
        {app.host.value ? words.forge.read : words.forge.readOnly}
      </button>
    </div>
  )
}

/** Whether an answer is a list, a line for each. */
export function inLines(q: ForgeQuestion): boolean {
  return !!q.words && /^(edit:)?(steps|triggers|examples)$/.test(q.topic)
}

/** Why the smith takes no words just now; "" where it does. */
export function forgeBusy(view: ConversationView): string {
  return view.kind === 'forge' && isForging(view) ? words.forge.busy : ''
}
