// Applies the event history:erased (an erasure of conversations or of a person) to transcripts. Pure.
import { foldRules } from './kinds'
import type { ConversationView, HistoryErased, Message } from '../net/protocol.gen'

/** The text that replaces names and titles. */
export const ERASED = 'erased'

/**
 * Removes the transcripts of erased conversations. From all other transcripts it removes the words of the erased
 * person, whose rows stay.
 */
export function eraseViews(
  views: Readonly<Record<string, ConversationView>>,
  ev: HistoryErased,
): Readonly<Record<string, ConversationView>> {
  const gone = new Set(ev.conversations ?? [])
  const kept = Object.entries(views).filter(([id]) => !gone.has(id))
  return Object.fromEntries(kept.map(([id, v]) => [id, ev.spectatorId ? eraseIn(v, ev.spectatorId) : v]))
}

/** Erases a person from a transcript: the name everywhere, and the person's words. The rows stay. */
export function eraseIn(v: ConversationView, id: string): ConversationView {
  // Rows of a party have names of members, and these stay.
  const called = new Set(
    foldRules(v.kind).rowsNameMembers ? [] : v.messages.filter((m) => m.spectatorId === id).map((m) => m.name),
  )
  for (const m of v.team.members) if (m.id === id) called.add(m.displayName)
  called.delete(ERASED)
  const names = [...called].filter((n) => n !== '').sort((a, b) => b.length - a.length)
  const { reason, ...head } = v
  return {
    ...head,
    ...(reason === undefined ? {} : { reason: unnamed(reason, names) }),
    title: unnamed(v.title, names),
    team: {
      ...v.team,
      members: v.team.members.map((m) => (m.id === id ? { ...m, name: ERASED, displayName: ERASED } : m)),
    },
    messages: v.messages.map((m) => eraseRow(m, id, names)),
  }
}

function eraseRow(m: Message, id: string, names: readonly string[]): Message {
  if (m.spectatorId === id) return { ...m, name: ERASED, content: '' }
  return m.role === 'system' && names.length > 0 ? { ...m, content: unnamed(m.content, names) } : m
}

/** Replaces the names in a text by ERASED, where the names are whole words. */
function unnamed(text: string, names: readonly string[]): string {
  let out = text
  for (const name of names) {
    const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    out = out.replace(new RegExp(`(?<![\\p{L}\\p{Nd}])${escaped}(?![\\p{L}\\p{Nd}])`, 'gu'), ERASED)
  }
  return out
}
