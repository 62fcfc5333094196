// The page's prompt. Text that begins with "/" is a command. Other text is an answer if it is the person's turn, else
// words to all in the realm. The text survives a reload, and a sent message stays visible until the server has it.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Model, RealmModel } from '../state/model'
import { words } from '../words'
import { choices, type Choice } from './choices'
import { useApp } from './context'
import { isTouchDevice, grow } from './grow'
import { menuAct } from './menu-act'
import { MyTurn } from './my-turn'
import { PromptMenu } from './prompt-menu'
import { PromptProblem } from './prompt-problem'
import { Refusals } from './refusals'
import { useMyAsks } from './use-my-asks'
import { useReturned } from './use-returned'
import { useSay } from './use-say'

/** The greatest height of the text area, in pixels. */
const MAX_HEIGHT = 128

export function Prompt({ realm }: { realm: RealmModel }) {
  const app = useApp()
  // Everybody can send text to all in the realm; only hosts can send commands.
  const host = app.host.value
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(() => app.drafts.get(`prompt.${realm.id}`))
  const [problem, setProblem] = useState('')
  const [picked, setPicked] = useState(0)
  const [closed, setClosed] = useState(false)
  const asks = useMyAsks()
  const { ask } = asks
  const { say, hint } = useSay(realm, asks)
  const menu = closed || !host ? [] : choicesIn(app.model, realm, text)
  const at = Math.min(picked, menu.length - 1)
  const type = (next: string) => {
    setText(next)
    setPicked(0)
    setClosed(false)
    setProblem('')
    app.drafts.set(`prompt.${realm.id}`, next)
  }
  const send = (said = text) => {
    const refused = say(said.trim())
    if (refused === '') type('')
    else setProblem(refused)
  }
  const choose = (choice: Choice) => {
    if (choice.whole) send(choice.text)
    else type(choice.text + ' ')
    area.current?.focus()
  }
  useReturned(area, text, type)
  useLayoutEffect(() => {
    if (area.current) grow(area.current, MAX_HEIGHT)
  }, [text])
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing) return
    const act = menuAct(e, menu, at)
    if (act?.kind === 'pick') setPicked(act.at)
    else if (act?.kind === 'close') setClosed(true)
    else if (act?.kind === 'type') type(act.text)
    else if (act?.kind === 'choose') choose(act.choice)
    else if (e.key === 'Enter' && !e.shiftKey && (!isTouchDevice() || text.startsWith('/'))) send()
    else return
    e.preventDefault()
  }
  return (
    <section class={ask ? 'prompt prompt-asked' : 'prompt'} aria-label={words.prompt.label}>
      <Refusals without={['player:link-repo', 'player:resume-realm', 'player:remove-realm', 'player:start-process']} />
      {ask && <MyTurn realm={realm} asks={asks} ask={ask} onPass={() => send(`/skip ${ask.roleId}`)} />}
      {menu.length > 0 && <PromptMenu menu={menu} at={at} onChoose={choose} />}
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
          aria-label={ask ? hint : words.prompt.label}
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
      <PromptProblem text={problem} />
    </section>
  )
}

function choicesIn({ me }: Model, { world }: RealmModel, typed: string): Choice[] {
  const roleIds = world.processState.cast.map((c) => c.roleId)
  return choices(typed, roleIds, world.quests, me?.spectatorId ?? null)
}
