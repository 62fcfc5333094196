// Where words for a conversation are written. The process has the prompt of the page. What is typed survives
// reloads; what is sent stands in the transcript. A kind adds its own parts.
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { byTouch, grow } from '../grow'
import { useWritten } from './written'

/** Height to which the text area grows, in pixels. */
const MOST_HEIGHT = 160

export function Composer({ view, realm }: InView) {
  const app = useApp()
  const id = view.conversationId
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, write] = useWritten(id)
  const [problem, setProblem] = useState('')
  const type = (next: string) => {
    write(next)
    setProblem('')
  }
  const useParts = kindOf(view).useComposer
  const parts = useParts({ view, realm, text, type, setProblem, form })
  const { busy = '', choices = [], placeholder } = parts
  useEffect(() => () => (app.talks.written.value = null), [app])
  useHeight(area, text)
  useArrival(area, id, text, type)
  const send = () => {
    const said = text.trim()
    if (said === '' && choices.length === 0) return setProblem(words.prompt.empty)
    if (busy) return setProblem(busy)
    const result = app.talks.say(id, said, undefined, choices)
    if (!result.ok) return setProblem(result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany)
    app.talks.noticed()
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
          {words.chats.send}
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
  if (e.key === 'Enter' && !e.shiftKey && !byTouch()) {
    e.preventDefault()
    send()
  } else if (e.key === 'Escape') e.currentTarget.blur()
}

/** As high as its words, also on a phone that is turned and breaks the lines elsewhere. */
function useHeight(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    if (area.current) grow(area.current, MOST_HEIGHT)
  }, [area, text])
  useEffect(() => {
    const again = () => area.current && grow(area.current, MOST_HEIGHT)
    addEventListener('resize', again)
    return () => removeEventListener('resize', again)
  }, [area])
}

/** Whoever has begun a conversation goes on in it; words that were taken back are here again. */
function useArrival(
  area: RefObject<HTMLTextAreaElement | null>,
  id: string,
  text: string,
  type: (next: string) => void,
): void {
  const app = useApp()
  const entering = app.talks.entering.value
  useEffect(() => {
    if (!entering) return
    app.talks.entering.value = false
    if (!byTouch()) area.current?.focus()
  }, [app, area, entering])
  const back = app.talks.returned.value
  useEffect(() => {
    if (back?.conversationId !== id) return
    app.talks.returned.value = null
    type(text.trim() === '' ? back.text : `${text}\n${back.text}`)
    area.current?.focus()
  }, [app, area, id, text, type, back])
}
