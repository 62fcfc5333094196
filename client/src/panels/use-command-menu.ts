// The completions of a slash command in a text box, and the keys that select one.
import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { choices, type Choice } from './choices'
import { useApp } from './context'
import { menuAct } from './menu-act'

interface Box {
  area: RefObject<HTMLTextAreaElement | null>
  text: string
  type: (next: string) => void
  /** Sends a complete command. */
  send: (command: string) => void
}

interface CommandMenu {
  menu: readonly Choice[]
  /** The index of the selected completion. */
  at: number
  choose: (choice: Choice) => void
  /** Returns whether the menu has used the key. */
  onKey: (e: KeyboardEvent) => boolean
}

/** Only hosts can send commands, so others get no completions. */
export function useCommandMenu(realm: RealmModel, { area, text, type, send }: Box): CommandMenu {
  const app = useApp()
  const [picked, pick] = useState({ text: '', at: 0 })
  /** The text for which the person has closed the menu. */
  const [closed, close] = useState<string | null>(null)
  const { me } = app.model
  const roleIds = realm.world.processState.cast.map((c) => c.roleId)
  const offered = text.startsWith('/') && app.host.value && closed !== text
  const menu = offered ? choices(text, roleIds, realm.world.quests, me?.spectatorId ?? null) : []
  const at = picked.text === text ? Math.min(picked.at, menu.length - 1) : 0
  const choose = (choice: Choice) => {
    if (choice.whole) send(choice.text)
    else type(choice.text + ' ')
    area.current?.focus()
  }
  const onKey = (e: KeyboardEvent): boolean => {
    const act = menuAct(e, menu, at)
    if (act?.kind === 'pick') pick({ text, at: act.at })
    else if (act?.kind === 'close') close(text)
    else if (act?.kind === 'type') type(act.text)
    else if (act?.kind === 'choose') choose(act.choice)
    else return false
    return true
  }
  return { menu, at, choose, onKey }
}
