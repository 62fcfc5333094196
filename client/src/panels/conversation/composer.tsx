// The form for writing into a conversation. A process has no composer: the page's prompt serves it. The text survives a
// reload, and a sent message is shown in the transcript. A kind can add parts to the composer.
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { isTouchDevice, grow } from '../grow'
import { useComposerText } from './use-composer-text'

/** The greatest height of the text area, in pixels. */
const MAX_HEIGHT = 160

export function Composer({ view, realm }: ConversationProps) {
  const app = useApp()
  const id = view.conversationId
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, write] = useComposerText(id)
  const [problem, setProblem] = useState('')
  const type = (next: string) => {
    write(next)
    setProblem('')
  }
  const useParts = kindOf(view).useComposer
  const parts = useParts({ view, realm, text, type, setProblem, form })
  const { busy = '', choices = [], placeholder } = parts
  useEffect(() => () => (app.conversations.composerText.value = null), [app])
  useHeight(area, text)
  useArrival(area, id, text, type)
  const send = () => {
    const said = text.trim()
    if (said === '' && choices.length === 0) return setProblem(words.prompt.empty)
    if (busy) return setProblem(busy)
    const result = app.conversations.say(id, said, undefined, choices)
    if (!result.ok) return setProblem(result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany)
    app.conversations.dismissOvertaken()
    parts.onSent?.()
    type('')
  }
  return (
    <form
      ref={form}
      class={parts.asked ? 'composer composer-asked' : 'composer'}
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
      onClickCapture={parts.onTouch}
      onKeyDownCapture={parts.onTouch}
    >
      {parts.above}
      <div class="prompt-row">
        <textarea
          ref={area}
          data-testid="talk-prompt"
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          aria-describedby={problem ? 'composer-problem' : undefined}
          onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={(e) => onKey(e, send)}
        />
        <button type="submit" class="primary send" data-testid="talk-send">
          {words.conversation.send}
        </button>
      </div>
      {parts.below}
      {problem && (
        <p id="composer-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}

function onKey(e: KeyboardEvent & { currentTarget: HTMLTextAreaElement }, send: () => void): void {
  if (e.isComposing) return
  if (e.key === 'Enter' && !e.shiftKey && !isTouchDevice()) {
    e.preventDefault()
    send()
  } else if (e.key === 'Escape') e.currentTarget.blur()
}

/** Fits the height to the text, also when a phone is turned. */
function useHeight(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (area.current) grow(area.current, MAX_HEIGHT)
  }, [area, text])
  useEffect(() => {
    const again = () => area.current && grow(area.current, MAX_HEIGHT)
    addEventListener('resize', again)
    return () => removeEventListener('resize', again)
  }, [area])
}

/** Focuses the composer of a conversation that this page started, and puts back text that was taken back or refused. */
function useArrival(
  area: RefObject<HTMLTextAreaElement | null>,
  id: string,
  text: string,
  type: (next: string) => void,
): void {
  const app = useApp()
  const entering = app.conversations.focusComposer.value
  useEffect(() => {
    if (!entering) return
    app.conversations.focusComposer.value = false
    if (!isTouchDevice()) area.current?.focus()
  }, [app, area, entering])
  const back = app.conversations.returned.value
  useEffect(() => {
    if (back?.conversationId !== id) return
    app.conversations.returned.value = null
    type(text.trim() === '' ? back.text : `${text}\n${back.text}`)
    area.current?.focus()
  }, [app, area, id, text, type, back])
}
