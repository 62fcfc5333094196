// The text box of the process, and of messages outside of any conversation. Text that begins with "/" is a command.
// Other text is an answer if it is the person's turn, else a question to the guide (state/guide.ts) or a message to
// everybody in the realm. The screen has only one text box: if the shown conversation has one, this one is hidden. The
// text survives a reload, and a sent message stays visible until the server has confirmed it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isCommand } from '../slash'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { useApp } from './context'
import { isTouchDevice, grow } from './grow'
import { EarlyText } from './early-text'
import { KeptTexts } from './kept-texts'
import { MyTurn } from './my-turn'
import { PromptMenu } from './prompt-menu'
import { PromptProblem } from './prompt-problem'
import { PromptReply } from './prompt-reply'
import { Refusals } from './refusals'
import { useArrival } from './use-arrival'
import { useCommandMenu } from './use-command-menu'
import { useMyAsks } from './use-my-asks'
import { usePromptText } from './use-prompt-text'
import { useReturned } from './use-returned'
import { useSay } from './use-say'

/** The title of the conversation to which the text of this box is added. */
const titleOf = ({ views, world }: RealmModel): string =>
  views[world.processState.conversationId]?.title ?? words.conversation.hall

/** The maximum height of the text area, in pixels. */
const MAX_HEIGHT = 128

interface Props {
  realm: RealmModel
  /** Whether the screen shows the transcript to which the text of this box is added. */
  shown: boolean
  /** Whether the screen shows the transcript of another conversation. */
  astray: boolean
}

export function Prompt({ realm, shown, astray }: Props) {
  const app = useApp()
  const area = useRef<HTMLTextAreaElement>(null)
  const [problem, setProblem] = useState('')
  /** The requestId of the command whose answer is shown above this box; '' for none. */
  const [answers, setAnswers] = useState('')
  const asks = useMyAsks()
  const { ask } = asks
  const draft = usePromptText(realm, asks)
  const { text } = draft
  const { say, hint, hearer } = useSay(realm, { ...asks, ask: draft.ask }, draft.answerWithIt !== null)
  const type = (next: string) => {
    draft.type(next)
    setProblem('')
    setAnswers('')
  }
  const send = (said = text) => {
    const sent = say(said.trim())
    if (!sent.ok) return setProblem(sent.why)
    type('')
    if (isCommand(said.trim())) setAnswers(shown ? '' : sent.requestId)
    else if (!shown) app.conversations.enterProcess()
  }
  const { menu, at, choose, onKey } = useCommandMenu(realm, { area, text, type, send })
  useReturned(area, text, type)
  useArrival(area)
  useLayoutEffect(() => {
    if (area.current) grow(area.current, MAX_HEIGHT)
  }, [text])
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing) return
    if (!onKey(e)) {
      if (e.key !== 'Enter' || e.shiftKey || (isTouchDevice() && !text.startsWith('/'))) return
      send()
    }
    e.preventDefault()
  }
  return (
    <section class={ask ? 'prompt prompt-asked' : 'prompt'} aria-label={words.prompt.label}>
      <Refusals without={['player:link-repo', 'player:resume-realm', 'player:remove-realm', 'player:start-process']} />
      {ask && <MyTurn key={ask.requestId} {...{ realm, asks, ask, text }} onPass={() => send(`/skip ${ask.roleId}`)} />}
      {draft.answerWithIt && <EarlyText onAnswer={draft.answerWithIt} />}
      <KeptTexts realm={realm} draft={draft} />
      {answers && <PromptReply realm={realm} requestId={answers} onClose={() => setAnswers('')} />}
      <PromptMenu menu={menu} at={at} onChoose={choose} />
      <form
        class="prompt-row"
        onSubmit={(e) => {
          e.preventDefault()
          send()
        }}
      >
        <textarea
          ref={area}
          data-testid="prompt"
          rows={1}
          value={text}
          placeholder={hint}
          aria-label={draft.ask ? hint : words.prompt.label}
          aria-controls={menu.length > 0 ? 'prompt-menu' : undefined}
          aria-activedescendant={menu.length > 0 ? `prompt-menu-${at}` : undefined}
          aria-describedby="prompt-problem"
          aria-autocomplete="list"
          onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" class="primary send" data-testid="send" aria-label={words.prompt.send}>
          {words.prompt.send}
        </button>
      </form>
      {astray && draft.ask === null && text.trim() !== '' && !isCommand(text) && (
        <p class="quiet goes-to" role="status" data-testid="goes-to">
          {words.prompt.goesTo(hearer, titleOf(realm))}
        </p>
      )}
      <PromptProblem text={problem} asks={ask === null && text.trimEnd().endsWith('?')} />
    </section>
  )
}
