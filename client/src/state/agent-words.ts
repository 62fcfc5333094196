// Folds the events about messages of people to coding agents into the page's world, which stores the messages in
// the agents' sessions. Mirrors Apply of shared/world. Pure.
import type { AgentWord, Session, WordMoved, World } from '../net/protocol.gen'

/** The maximum number of stored messages that no longer wait; the oldest are dropped. */
const MAX_OLD = 16

/** Whether the message can still reach its agent. */
export function wordWaits(w: AgentWord): boolean {
  return !w.state || w.state === 'handed'
}

/** Adds a message to the session of its conversation. */
export function addWord(w: World, word: AgentWord): World {
  const i = w.sessions?.findIndex((s) => s.conversationId === word.conversationId) ?? -1
  const s = w.sessions?.[i]
  if (!w.sessions || !s) return w
  return { ...w, sessions: w.sessions.with(i, { ...s, words: [...(s.words ?? []), word] }) }
}

/** Sets the state of a message. If more than MAX_OLD messages no longer wait, drops the oldest of them. */
export function moveWord(w: World, { wordId, state }: WordMoved): World {
  const next = withWords(w, (words) =>
    words.map((b) => {
      if (b.wordId !== wordId) return b
      const { state: _, ...rest } = b
      return state === 'queued' ? rest : { ...rest, state }
    }),
  )
  const old = (next.sessions ?? []).flatMap((s) => s.words ?? []).filter((b) => !wordWaits(b))
  if (old.length <= MAX_OLD) return next
  const oldest = old.reduce((a, b) => ((b.since ?? '') < (a.since ?? '') ? b : a))
  return withWords(next, (words) => words.filter((b) => b.wordId !== oldest.wordId))
}

/** Removes the messages of erased conversations, and those of an erased person. */
export function eraseWords(w: World, conversations: ReadonlySet<string>, person: string | undefined): World {
  return withWords(w, (words) => words.filter((b) => !conversations.has(b.conversationId) && b.spectatorId !== person))
}

/** Adds or replaces a coding agent's session and puts it last. The messages to the agent stay. */
export function putSession(sessions: readonly Session[], session: Session): Session[] {
  const same = (s: Session) => s.program === session.program && s.sessionId === session.sessionId
  const words = sessions.find((s) => same(s) && s.conversationId === session.conversationId)?.words
  return [...sessions.filter((s) => !same(s)), words ? { ...session, words } : session]
}

/** Replaces the messages of each session that has some. A session without messages has no list, as on the wire. */
function withWords(w: World, change: (words: AgentWord[]) => AgentWord[]): World {
  if (!w.sessions?.some((s) => s.words)) return w
  return {
    ...w,
    sessions: w.sessions.map((s) => {
      if (!s.words) return s
      const { words, ...rest } = s
      const next = change(words)
      return next.length > 0 ? { ...rest, words: next } : rest
    }),
  }
}
