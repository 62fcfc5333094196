// Where words for a council or a chat are written. The process has the prompt of
// the page. What is typed survives reloads; what is sent stands in the transcript.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { missingIn, partyWaitsForMe, voice } from '../../state/party'
import { memberName, turnOf } from '../../state/talks'
import { words } from '../../words'
import { useApp } from '../context'
import { byTouch, grow } from '../grow'
import { focusAnswer, forgeBusy, ForgeOptions, inLines } from './forge'
import { PartyVoices } from './party'
import { useWritten } from './written'

/** Height to which the text area grows, in pixels. */
const MOST_HEIGHT = 160

export function Composer({ view, realm }: { view: ConversationView; realm: RealmModel }) {
  const app = useApp()
  const id = view.conversationId
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  /** The last answer was given with the focus on it, which goes with the question. */
  const answering = useRef(false)
  const [text, write] = useWritten(id)
  const [problem, setProblem] = useState('')
  const [picked, setPicked] = useState<readonly string[]>([])
  const turn = turnOf(view, app.model.value)
  const question = view.plan.forge?.question ?? null
  const busy = forgeBusy(view)
  const asked = turn !== null || partyWaitsForMe(app.model.value, view)
  // Another question: what was ticked belonged to the one before.
  const topic = question === null ? '' : `${question.topic} ${question.text}`
  const before = useRef(topic)
  useEffect(() => {
    setPicked([])
    // Another tab or another person has answered: words that are being written meet another question.
    if (before.current !== '' && topic !== '' && topic !== before.current && text.trim() !== '')
      setProblem(words.forge.changed)
    if (topic !== '') before.current = topic
  }, [topic])
  // The smith was at work when it arrived, or somebody answered first: the words are back where they were written.
  const refused =
    view.kind === 'forge'
      ? app.pending.value.find(
          (p) =>
            p.status === 'refused' &&
            p.error?.code === 'conflict' &&
            p.frame.type === 'chat.send' &&
            p.frame.conversationId === id,
        )
      : undefined
  useEffect(() => {
    if (!refused || refused.frame.type !== 'chat.send') return
    const { content } = refused.frame
    app.discard(refused.requestId)
    if (content !== '') type(text.trim() === '' ? content : `${content}\n${text}`)
    setProblem(`${refused.error?.message ?? ''}${content === '' ? '' : ` ${words.forge.kept}`}`)
  }, [refused])
  useEffect(() => () => (app.talks.written.value = null), [])
  useLayoutEffect(() => {
    if (area.current) grow(area.current, MOST_HEIGHT)
  }, [text])
  // A phone that is turned breaks the lines elsewhere.
  useEffect(() => {
    const again = () => area.current && grow(area.current, MOST_HEIGHT)
    addEventListener('resize', again)
    return () => removeEventListener('resize', again)
  }, [])
  const said = app.pending.value.some(
    (p) => p.status !== 'refused' && p.frame.type === 'chat.send' && p.frame.conversationId === id,
  )
  useEffect(() => {
    if (!answering.current || said || busy || question === null) return
    answering.current = false
    if ((document.activeElement ?? document.body) === document.body) focusAnswer(form.current)
  }, [said, busy, topic])
  // Whoever has begun a conversation goes on in it.
  const entering = app.talks.entering.value
  useEffect(() => {
    if (!entering) return
    app.talks.entering.value = false
    if (!byTouch()) area.current?.focus()
  }, [entering])
  const back = app.talks.returned.value
  useEffect(() => {
    if (back?.conversationId !== id) return
    app.talks.returned.value = null
    type(text.trim() === '' ? back.text : `${text}\n${back.text}`)
    area.current?.focus()
  }, [back])

  function type(next: string) {
    write(next)
    setProblem('')
  }

  function send() {
    const said = text.trim()
    if (said === '' && picked.length === 0) return setProblem(words.prompt.empty)
    if (busy) return setProblem(busy)
    const result = app.talks.say(id, said, undefined, question?.many ? picked : [])
    if (!result.ok) return setProblem(result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany)
    app.talks.noticed()
    if (view.kind === 'party') app.talks.readSession(id, missingIn(view)) // who goes on has seen what came back
    setPicked([])
    type('')
  }

  const agents = view.team.members.filter((m) => m.type === 'agent')
  const label =
    view.kind === 'party'
      ? words.party.say(memberName(realm, view, voice(app.model.value, view)))
      : view.kind === 'forge'
        ? question === null
          ? words.forge.say
          : question.words
            ? words.forge.sayWords
            : words.forge.sayChoice
        : turn
          ? words.chats.sayYours
          : view.kind === 'chat' && agents[0]
            ? words.chats.say(agents[0].displayName || agents[0].name)
            : words.chats.sayAll
  return (
    <form
      ref={form}
      class={asked ? 'composer composer-asked' : 'composer'}
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
      onClickCapture={(e) => (answering.current = e.target instanceof Element && e.target.closest('.options') !== null)}
      onKeyDownCapture={(e) =>
        (answering.current = e.target instanceof Element && e.target.closest('.options') !== null)
      }
    >
      {turn && (
        <p class="composer-turn" role="status">
          {words.chats.yourTurn}{' '}
          <button
            type="button"
            class="small ghost"
            data-testid="talk-pass"
            onClick={() => app.send({ type: 'chat.cancel', conversationId: id, requestId: turn.requestId })}
          >
            {words.chats.pass}
          </button>
        </p>
      )}
      {question && (
        <ForgeOptions view={view} question={question} picked={picked} onPick={setPicked} busy={busy !== ''} />
      )}
      {view.kind === 'party' && <PartyVoices view={view} realm={realm} text={text} onText={type} />}
      <div class="prompt-row">
        <textarea
          ref={area}
          data-testid="talk-prompt"
          rows={1}
          value={text}
          placeholder={label}
          aria-label={label}
          aria-describedby={problem ? 'composer-problem' : undefined}
          onInput={(e) => type(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.isComposing) return
            if (e.key === 'Enter' && !e.shiftKey && !byTouch()) {
              e.preventDefault()
              send()
            } else if (e.key === 'Escape') e.currentTarget.blur()
          }}
        />
        <button type="submit" class="primary send" data-testid="talk-send">
          {words.chats.send}
        </button>
      </div>
      {question && inLines(question) && !byTouch() && <p class="quiet meta">{words.forge.lines}</p>}
      {problem && (
        <p id="composer-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
