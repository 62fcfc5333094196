// Where a person speaks: an answer when they are asked, words for the talk otherwise, a command after "/".
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { EXPORTS } from '../net/url'
import type { RealmModel } from '../state/model'
import { nameOf, myAsks } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { takeAlong } from './export'
import { byTouch, grow } from './grow'
import { Refusals } from './refusals'
import { choices, type Choice } from './choices'
import { MyTurn } from './my-turn'
import { useSelect } from './use-select'

/** Height to which the text area grows, in pixels. */
const MOST_HEIGHT = 128

export function Prompt({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const m = app.model
  // Who follows a spectator link speaks; commands are for hosts.
  const host = app.host.value
  const realmId = realm.id
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => app.drafts.get(`prompt.${realmId}`))
  const [problem, setProblem] = useState('')
  const [picked, setPicked] = useState(0)
  const [closed, setClosed] = useState(false)
  const [answering, setAnswering] = useState<string | null>(null)

  useEffect(() => {
    const back = app.returned.value
    if (back === '') return
    app.returned.value = ''
    type(text.trim() === '' ? back : `${text}\n${back}`)
    area.current?.focus()
  }, [app.returned.value])
  useLayoutEffect(() => {
    if (area.current) grow(area.current, MOST_HEIGHT)
  }, [text])

  // An answer on its way is an answer: who gave it is not asked again.
  const given = app.pending.value.flatMap((p) =>
    p.frame.type === 'chat.send' && p.status !== 'refused' ? [p.frame] : [],
  )
  const asks = useSelect(() => myAsks(app.model), [app])
  const mine = asks.filter((a) => !given.some((f) => f.memberId === undefined || f.memberId === a.memberId))
  const ask = mine.find((a) => a.roleId === answering) ?? mine[0] ?? null
  const menu =
    closed || !host
      ? []
      : choices(
          text,
          realm.world.processState.cast.map((c) => c.roleId),
          realm.world.quests,
          m.me?.spectatorId ?? null,
        )
  const at = Math.min(picked, menu.length - 1)
  const me = m.me?.spectatorId
  const focus = me ? realm.world.focus.find((f) => f.spectatorId === me)?.agentId : undefined
  // A member that a person plays, or nobody, gets no words: the server gives them to all.
  const held = realm.world.processState.cast.find((c) => c.memberId === focus)
  const to = focus !== undefined && (held === undefined || held.kind === 'agent') ? focus : ''
  useEffect(() => {
    if (menu.length > 0) document.getElementById(`prompt-menu-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at, menu.length])

  function type(next: string) {
    setText(next)
    setPicked(0)
    setClosed(false)
    setProblem('')
    app.drafts.set(`prompt.${realmId}`, next)
  }

  function send(words_ = text) {
    const said = words_.trim()
    if (said === '') {
      setProblem(words.prompt.empty)
      return
    }
    const file = /^\/export(?:\s+(\w+))?$/.exec(said)
    const format = EXPORTS.find((f) => f === (file?.[1] ?? 'markdown'))
    if (file && format) takeAlong(realmId, format) // the server says where it lies, too
    const conversationId = realm.world.processState.conversationId
    const result =
      ask !== null && !said.startsWith('/')
        ? app.answer(conversationId, said, mine.length > 1 ? ask.memberId : undefined)
        : host
          ? app.send({ type: 'player:command', text: said })
          : app.send({ type: 'spectator:command', text: said })
    if (!result.ok) {
      setProblem(result.why === 'too_large' ? words.prompt.tooLarge : words.prompt.tooMany)
      return
    }
    type('')
  }

  function choose(choice: Choice) {
    if (choice.whole) send(choice.text)
    else type(choice.text + ' ')
    area.current?.focus()
  }

  function onKeyDown(e: KeyboardEvent) {
    if (e.isComposing) return
    if (menu.length > 0) {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        e.preventDefault()
        setPicked((at + (e.key === 'ArrowDown' ? 1 : menu.length - 1)) % menu.length)
        return
      }
      if (e.key === 'Escape') {
        e.preventDefault()
        setClosed(true)
        return
      }
      const choice = menu[at]
      if (choice && e.key === 'Tab' && !e.shiftKey) {
        e.preventDefault()
        type(choice.whole ? choice.text : choice.text + ' ')
        return
      }
      if (choice && e.key === 'Enter' && !e.shiftKey) {
        e.preventDefault()
        choose(choice)
        return
      }
    }
    if (e.key === 'Enter' && !e.shiftKey && (!byTouch() || text.startsWith('/'))) {
      e.preventDefault()
      send()
    }
  }

  return (
    <section class={ask ? 'prompt prompt-asked' : 'prompt'} aria-label={words.prompt.label}>
      <Refusals without={['player:link-repo', 'player:resume-realm', 'player:remove-realm', 'player:start-process']} />
      {ask && (
        <MyTurn
          realm={realm}
          ask={ask}
          asks={mine}
          onChoose={setAnswering}
          onPass={() => send(`/skip ${ask.roleId}`)}
        />
      )}
      {menu.length > 0 && (
        <ul class="menu" role="listbox" id="prompt-menu" aria-label={words.prompt.menu} data-testid="menu">
          {menu.map((c, i) => (
            <li
              key={c.text}
              id={`prompt-menu-${i}`}
              role="option"
              aria-selected={i === at}
              onPointerDown={(e) => e.preventDefault()}
              onClick={() => choose(c)}
            >
              <code>{c.text}</code>
              <span class="quiet">{c.hint}</span>
            </li>
          ))}
        </ul>
      )}
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
          placeholder={
            ask
              ? words.prompt.turn(nameOf(realm, ask.roleId))
              : host
                ? to
                  ? words.prompt.focus(nameOf(realm, to))
                  : words.prompt.idle
                : words.prompt.speak
          }
          aria-label={ask ? words.prompt.turn(nameOf(realm, ask.roleId)) : words.prompt.label}
          aria-controls="prompt-menu"
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
      <p id="prompt-problem" class={problem ? 'problem' : 'problem quiet'} role={problem ? 'alert' : undefined}>
        {problem || (!app.live.value ? words.prompt.noSocket : host ? '' : words.prompt.spectator)}
      </p>
    </section>
  )
}
