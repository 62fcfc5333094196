// Where words for a council or a chat are written. The process has the prompt of
// the page. What is typed survives reloads; what is sent stands in the transcript.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView } from '../../net/protocol.gen'
import { turnOf } from '../../state/talks'
import { words } from '../../words'
import { useApp } from '../context'

/** Height to which the text area grows, in pixels. */
const MOST_HEIGHT = 160

export function Composer({ view }: { view: ConversationView }) {
  const app = useApp()
  const id = view.conversationId
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => app.drafts.get(`talk.${id}`))
  const [problem, setProblem] = useState('')
  const turn = turnOf(view, app.model.value)
  useLayoutEffect(() => {
    const el = area.current
    if (!el) return
    el.style.height = 'auto'
    el.style.height = `${Math.min(MOST_HEIGHT, el.scrollHeight)}px`
  }, [text])
  const back = app.talks.returned.value
  useEffect(() => {
    if (back?.conversationId !== id) return
    app.talks.returned.value = null
    type(text.trim() === '' ? back.text : `${text}\n${back.text}`)
    area.current?.focus()
  }, [back])

  function type(next: string) {
    setText(next)
    setProblem('')
    app.drafts.set(`talk.${id}`, next)
  }

  function send() {
    const said = text.trim()
    if (said === '') return setProblem(words.prompt.empty)
    const result = app.talks.say(id, said)
    if (!result.ok) return setProblem(result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany)
    app.talks.noticed()
    type('')
  }

  const agents = view.team.members.filter((m) => m.type === 'agent')
  const label = turn ? words.chats.sayYours : view.kind === 'chat' && agents[0] ? words.chats.say(agents[0].displayName || agents[0].name) : words.chats.sayAll
  return (
    <form
      class={turn ? 'composer composer-asked' : 'composer'}
      onSubmit={(e) => {
        e.preventDefault()
        send()
      }}
    >
      {turn && (
        <p class="composer-turn" role="status">
          {words.chats.yourTurn}{' '}
          <button type="button" class="small ghost" data-testid="talk-pass" onClick={() => app.send({ type: 'chat.cancel', conversationId: id, requestId: turn.requestId })}>
            {words.chats.pass}
          </button>
        </p>
      )}
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
            if (e.key === 'Enter' && !e.shiftKey) {
              e.preventDefault()
              send()
            } else if (e.key === 'Escape') e.currentTarget.blur()
          }}
        />
        <button type="submit" class="primary send" data-testid="talk-send">
          {words.chats.send}
        </button>
      </div>
      {problem && (
        <p id="composer-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  )
}
