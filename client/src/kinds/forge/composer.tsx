// The parts that a forge adds to the composer: the options of the question, and the handling of text that was typed for
// an earlier question or while the smith works.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView, ForgeQuestion } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { isTouchDevice } from '../../panels/grow'
import { useLatest } from '../../panels/use-latest'
import type { ComposerParts, ComposerInput } from '../kind'
import { ForgeOptions } from './options'
import { isForging } from './state'
import { forgeWords } from './words'

export function useForgeComposer(use: ComposerInput): ComposerParts {
  const { view } = use
  const question = view.plan.forge?.question ?? null
  const busy = busyWith(view)
  // When the question changes, the picked options are dropped: they answered the previous question.
  const topic = question === null ? '' : `${question.topic} ${question.text}`
  const [picked, setPicked] = useState<readonly string[]>([])
  useEffect(() => setPicked([]), [topic])
  useChanged(use, topic)
  useRefused(use)
  const onTouch = useFocusOnNext(use, topic, busy !== '')
  return {
    asked: false,
    placeholder: placeholder(question),
    busy,
    choices: question?.many ? picked : [],
    above: question && (
      <ForgeOptions view={view} question={question} picked={picked} onPick={setPicked} busy={busy !== ''} />
    ),
    below: question && inLines(question) && !isTouchDevice() && <p class="quiet meta">{forgeWords.lines}</p>,
    onSent: () => setPicked([]),
    onTouch,
  }
}

function placeholder(question: ForgeQuestion | null): string {
  if (question === null) return forgeWords.say
  return question.words ? forgeWords.sayWords : forgeWords.sayChoice
}

/** Warns when the question changes while the person types, because another tab or person has answered it. */
function useChanged(use: ComposerInput, topic: string): void {
  const before = useRef(topic)
  const now = useLatest(use)
  useEffect(() => {
    const { text, setProblem } = now.current
    if (before.current !== '' && topic !== '' && topic !== before.current && text.trim() !== '')
      setProblem(forgeWords.changed)
    if (topic !== '') before.current = topic
  }, [topic, now])
}

/**
 * Puts a message that the server refused with the code conflict back into the composer. The smith was working, or
 * another person had answered first.
 */
function useRefused(use: ComposerInput): void {
  const app = useApp()
  const now = useLatest(use)
  const { view } = use
  const refused = app.pending.value.find(
    (p) =>
      p.status === 'refused' &&
      p.error?.code === 'conflict' &&
      p.frame.type === 'chat.send' &&
      p.frame.conversationId === view.conversationId,
  )
  useEffect(() => {
    if (!refused || refused.frame.type !== 'chat.send') return
    const { text, type, setProblem } = now.current
    const { content } = refused.frame
    app.discard(refused.requestId)
    if (content !== '') type(text.trim() === '' ? content : `${content}\n${text}`)
    setProblem(`${refused.error?.message ?? ''}${content === '' ? '' : ` ${forgeWords.kept}`}`)
  }, [app, refused, now])
}

/**
 * If the last answer was given with the focus on an option, focuses the next question's first option or, without
 * options, its text area.
 */
function useFocusOnNext({ view, form }: ComposerInput, topic: string, busy: boolean): (e: Event) => void {
  const app = useApp()
  const answering = useRef(false)
  const said = app.conversations.isSending(view.conversationId)
  useEffect(() => {
    if (!answering.current || said || busy || topic === '') return
    answering.current = false
    if ((document.activeElement ?? document.body) === document.body)
      form.current?.querySelector<HTMLElement>('.option, textarea')?.focus()
  }, [said, busy, topic, form])
  return (e) => (answering.current = e.target instanceof Element && e.target.closest('.options') !== null)
}

/** Whether the answer to q is a list with one item on each line. */
function inLines(q: ForgeQuestion): boolean {
  return !!q.words && /^(edit:)?(steps|triggers|examples)$/.test(q.topic)
}

/** The text that says why the smith accepts no message now; "" if the smith accepts messages. */
function busyWith(view: ConversationView): string {
  return isForging(view) ? forgeWords.busy : ''
}
