// The form for writing into a conversation. A process has no composer: the page's text box serves it. The text survives
// a reload, and a sent message is shown in the transcript. A kind of conversation can add parts.
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import type { App } from '../../app'
import type { CommandFrame, SendResult } from '../../net/outbox'
import { isCommand, mistyped } from '../../slash'
import { words } from '../../words'
import { useApp } from '../context'
import { isTouchDevice, grow } from '../grow'
import { PromptMenu } from '../prompt-menu'
import { useArrival } from '../use-arrival'
import { useCommandMenu } from '../use-command-menu'
import { takeExport } from '../export'
import { useComposerText } from './use-composer-text'

/** The maximum height of the text area, in pixels. */
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
  useArrival(area)
  usePutBack(area, id, text, type)
  const send = (typed = text) => {
    const said = typed.trim()
    const command = isCommand(said)
    if (said === '' && choices.length === 0) return setProblem(words.prompt.empty)
    const wrong = mistyped(said)
    if (wrong) return setProblem(wrong)
    if (busy && !command) return setProblem(busy)
    if (said === '/pause' && view.status === 'paused') return setProblem(words.conversation.pausedAlready)
    const result = command
      ? sendCommand(app, said, { view, realm })
      : app.conversations.say(id, parts.sent?.(said) ?? said, undefined, choices)
    if (!result.ok) return setProblem(result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany)
    app.conversations.dismissOvertaken()
    if (!command) parts.onSent?.()
    type('')
  }
  const { menu, at, choose, onKey } = useCommandMenu(realm, { area, text, type, send })
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
      <PromptMenu menu={menu} at={at} onChoose={choose} />
      <div class="prompt-row">
        <textarea
          ref={area}
          data-testid="talk-prompt"
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={placeholder}
          aria-controls={menu.length > 0 ? 'prompt-menu' : undefined}
          aria-activedescendant={menu.length > 0 ? `prompt-menu-${at}` : undefined}
          aria-autocomplete="list"
          aria-describedby={problem ? 'composer-problem' : undefined}
          onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (!e.isComposing && onKey(e)) e.preventDefault()
            else onEnter(e, () => send())
          }}
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

/** The commands that mean the shown conversation, if it has the control, and else the process. */
const CONTROLS: Readonly<Record<string, CommandFrame['type']>> = {
  '/pause': 'conversation.pause',
  '/resume': 'conversation.resume',
}

/** Sends a typed command: as the conversation's own control if it means one, else to the process. */
function sendCommand(app: App, said: string, { view, realm }: ConversationProps): SendResult {
  const controls = kindOf(view).controls({ view, realm })
  const control = controls.find((c) => c.frame.type === CONTROLS[said])
  if (control) return app.send(control.frame)
  takeExport(realm.id, said)
  return app.command(said, view.conversationId)
}

function onEnter(e: KeyboardEvent & { currentTarget: HTMLTextAreaElement }, send: () => void): void {
  if (e.isComposing) return
  if (e.key === 'Enter' && !e.shiftKey && !isTouchDevice()) {
    e.preventDefault()
    send()
  } else if (e.key === 'Escape') e.currentTarget.blur()
}

/** Sets the text area's height to that of its text, also after a phone is turned. */
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

/** Puts a text that the person took back or the server refused into the text area again. */
function usePutBack(
  area: RefObject<HTMLTextAreaElement | null>,
  id: string,
  text: string,
  type: (next: string) => void,
): void {
  const app = useApp()
  const back = app.conversations.returned.value
  useEffect(() => {
    if (back?.conversationId !== id) return
    app.conversations.returned.value = null
    type(text.trim() === '' ? back.text : `${text}\n${back.text}`)
    area.current?.focus()
  }, [app, area, id, text, type, back])
}
