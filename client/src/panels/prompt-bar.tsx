// Where a person speaks: an answer when they are asked, words for the talk
// otherwise, a command after "/". What is typed survives reloads; what is sent
// stays visible until the server has it.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Ask, Quest } from '../net/protocol.gen'
import { EXPORTS } from '../net/url'
import { mayMove, questCommand, VERBS } from '../state/board'
import type { RealmModel } from '../state/model'
import { nameOf, myAsks, stageAt } from '../state/select'
import { clock, words } from '../words'
import { useApp } from './context'
import { takeAlong } from './export'
import { byTouch, grow } from './grow'
import { Shield } from './marks'
import { Folding } from './plain'
import { Refusals } from './refusals'

const MODES = ['autonomous', 'supervised', 'manual'] as const
/** Height to which the text area grows, in pixels. */
const MOST_HEIGHT = 128

interface Choice {
  text: string
  hint: string
  /** Sent as it is; others wait for a word after them. */
  whole: boolean
}

/** Commands that wait for a word after them. */
const WITH_WORDS = ['/mode', '/dismiss', '/summon', '/ask', '/focus', '/quest']

/** Quests offered at once; more letters find the others. */
const MOST_QUESTS = 20

/** The commands that begin with what is typed; nothing where it is no command. me: who types, for what they may do. */
export function choices(
  typed: string,
  roleIds: readonly string[],
  quests: readonly Quest[] = [],
  me: string | null = null,
): Choice[] {
  if (!typed.startsWith('/') || typed.includes('\n')) return []
  const mode = /^\/mode\s+(\S*)$/.exec(typed)
  if (mode)
    return MODES.filter((m) => m.startsWith(mode[1] ?? '') && m !== mode[1]).map((m) => ({
      text: `/mode ${m}`,
      hint: words.settings.modes[m],
      whole: true,
    }))
  const role = /^\/(skip|dismiss|summon)\s+(\S*)$/.exec(typed)
  if (role)
    return roleIds
      .filter((id) => id.startsWith(role[2] ?? '') && id !== role[2])
      .map((id) => ({ text: `/${role[1]} ${id}`, hint: '', whole: true }))
  const member = /^\/(ask|focus)\s+@?(\S*)$/.exec(typed)
  if (member)
    return roleIds
      .filter((id) => id.startsWith(member[2] ?? '') && id !== member[2])
      .map((id) => ({ text: `/${member[1]} ${id}`, hint: '', whole: member[1] === 'focus' }))
  const verb = /^\/quest\s+(\S*)$/.exec(typed)
  if (verb)
    return VERBS.filter((v) => v.startsWith(verb[1] ?? '')).map((v) => ({
      text: `/quest ${v}`,
      hint: words.quests.hints[v],
      whole: false,
    }))
  const quest = /^\/quest\s+(\S+)\s+(.*)$/.exec(typed)
  if (quest) return questChoices(quest[1] ?? '', quest[2] ?? '', quests, me)
  if (/\s/.test(typed)) return []
  return Object.entries(words.commands)
    .filter(([name]) => name.startsWith(typed))
    .map(([name, hint]) => ({ text: name, hint, whole: !WITH_WORDS.includes(name) }))
}

/** The quests that the verb may move, by the beginning of the id or words of the title. */
function questChoices(typed: string, wanted: string, quests: readonly Quest[], me: string | null): Choice[] {
  const verb = VERBS.find((v) => v === typed)
  if (!verb || quests.some((q) => q.id === wanted)) return []
  const letters = wanted.trim().toLowerCase()
  return quests
    .filter(
      (q) =>
        mayMove(q, verb, me) &&
        (q.id.startsWith(wanted) || (letters !== '' && q.title.toLowerCase().includes(letters))),
    )
    .slice(0, MOST_QUESTS)
    .map((q) => ({ text: questCommand(verb, q.id), hint: q.title, whole: true }))
}

export function PromptBar() {
  const { realm } = useApp().model.value
  return realm && <Prompt key={realm.id} realm={realm} />
}

function Prompt({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const m = app.model.value
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
  const mine = myAsks(m).filter((a) => !given.some((f) => f.memberId === undefined || f.memberId === a.memberId))
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
      {ask && <MyTurn ask={ask} asks={mine} onChoose={setAnswering} onPass={() => send(`/skip ${ask.roleId}`)} />}
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

function MyTurn({
  ask,
  asks,
  onChoose,
  onPass,
}: {
  ask: Ask
  asks: Ask[]
  onChoose: (roleId: string) => void
  onPass: () => void
}) {
  const app = useApp()
  const { realm } = app.model.value
  if (!realm) return null
  const at = stageAt(realm)
  const prompt = ask.prompt || (at ? words.prompt.goal(at.stage.goal) : '')
  return (
    <div class="my-turn" data-testid="my-turn" data-role={ask.roleId}>
      <div class="my-turn-head">
        <Shield
          id={ask.roleId}
          name={nameOf(realm, ask.roleId)}
          color={realm.world.processState.template?.roles.find((r) => r.id === ask.roleId)?.color}
        />
        <strong role="status">{words.prompt.yourTurn(nameOf(realm, ask.roleId))}</strong>
        {ask.until && <span class="quiet">{words.prompt.until(clock(ask.until))}</span>}
        <button type="button" class="small" data-testid="skip" onClick={onPass}>
          {words.prompt.pass}
        </button>
      </div>
      {asks.length > 1 && (
        <label class="answer-as">
          <span>{words.prompt.answerAs}</span>
          <select value={ask.roleId} data-testid="answer-as" onChange={(e) => onChoose(e.currentTarget.value)}>
            {asks.map((a) => (
              <option key={a.requestId} value={a.roleId}>
                {nameOf(realm, a.roleId)}
              </option>
            ))}
          </select>
        </label>
      )}
      {prompt && (
        <div class="asked-text scroll" tabIndex={0} role="group" aria-label={words.prompt.read}>
          <Folding text={prompt} limit={320} key={ask.requestId} />
        </div>
      )}
    </div>
  )
}
