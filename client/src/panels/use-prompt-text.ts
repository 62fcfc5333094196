// The text in the page's text box. A text stays what it was when the person began it. What was typed as an answer is a
// draft of that answer: if the turn goes away, because somebody frees the role or skips the turn, the draft is kept for
// the role's next turn and never becomes a message to everybody. What was typed before a turn began is not an answer
// until the person makes it one. The text survives a reload.
import { useLayoutEffect, useState } from 'preact/hooks'
import type { DraftKey, Drafts } from '../identity/drafts'
import type { Ask } from '../net/protocol.gen'
import { isCommand } from '../slash'
import type { RealmModel } from '../state/model'
import { useApp } from './context'
import { useLatest } from './use-latest'
import type { MyAsks } from './use-my-asks'

export interface PromptText {
  text: string
  type: (next: string) => void
  /** The turn that the text answers; null without a turn, and for a text that was begun before the turn. */
  ask: Ask | null
  /** Makes the text that was begun before the turn the answer; null if there is no such text. */
  answerWithIt: (() => void) | null
  /** The role of an answer that was typed and whose turn is gone; '' for none. */
  kept: string
  keptText: () => string
  discard: () => void
}

/** The place of a text: for the answer of a role, or for everything else. */
interface Place {
  roleId: string
  key: DraftKey
}

/** Whether a text that was begun without a turn is a message, which a turn that begins does not make an answer. */
const isMessage = (text: string): boolean => text.trim() !== '' && !isCommand(text)

export function usePromptText(realm: RealmModel, { ask, mine }: MyAsks): PromptText {
  const { drafts } = useApp()
  const { conversationId, cast } = realm.world.processState
  const box: Place = { roleId: '', key: `prompt.${realm.id}` }
  const place = ask ? answerOf(ask) : box
  const [at, setAt] = useState(() => (isMessage(drafts.get(box.key)) ? box : place))
  const [text, setText] = useState(() => begin(drafts, box, at, drafts.get(box.key)))
  const [, redraw] = useState(0)
  const early = at.roleId === '' && place.roleId !== '' && isMessage(text)
  const move = (): void => {
    setAt(place)
    const stays = at.roleId !== '' && !mine.some((a) => answerOf(a).key === at.key) && !isCommand(text)
    setText(begin(drafts, at, place, stays ? '' : text, stays))
  }
  const latestMove = useLatest(move)
  const moves = at.key !== place.key && !early
  useLayoutEffect(() => {
    if (moves) latestMove.current()
  }, [moves, latestMove, place.key])
  const keyOf = (roleId: string): DraftKey => `answer.${conversationId}.${roleId}`
  const isKept = (key: DraftKey) => key !== place.key && drafts.get(key).trim() !== ''
  const kept = cast.find((c) => isKept(keyOf(c.roleId)))?.roleId ?? ''
  return {
    text,
    type: (next) => {
      setText(next)
      drafts.set(at.key, next)
    },
    ask: early ? null : ask,
    answerWithIt: early ? move : null,
    kept,
    keptText: () => drafts.get(keyOf(kept)),
    discard: () => {
      drafts.set(keyOf(kept), '')
      redraw((n) => n + 1)
    },
  }
}

function answerOf(ask: Ask): Place {
  return { roleId: ask.roleId, key: `answer.${ask.conversationId}.${ask.roleId}` }
}

/**
 * The text with which the box begins at a place: the draft of that place, and below it the text that comes along.
 * stays: whether the text that was at the place `from` stays there.
 */
function begin(drafts: Drafts, from: Place, to: Place, text: string, stays = false): string {
  const draft = drafts.get(to.key)
  if (from.key === to.key) return draft
  const whole = draft.trim() === '' ? text : text.trim() === '' ? draft : `${draft}\n${text}`
  if (!stays) drafts.set(from.key, '')
  drafts.set(to.key, whole)
  return whole
}
