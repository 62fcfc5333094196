// The text in the page's text box. What was typed as an answer is a draft of that answer: if the turn goes away,
// because somebody frees the role or skips the turn, the draft is kept for the role's next turn and never becomes a
// message to everybody. The text survives a reload.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { DraftKey, Drafts } from '../identity/drafts'
import type { Ask } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { useApp } from './context'
import { useLatest } from './use-latest'
import type { MyAsks } from './use-my-asks'

export interface PromptText {
  text: string
  type: (next: string) => void
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

export function usePromptText(realm: RealmModel, { ask, mine }: MyAsks): PromptText {
  const { drafts } = useApp()
  const { conversationId, cast } = realm.world.processState
  const box: Place = { roleId: '', key: `prompt.${realm.id}` }
  const place = ask ? answerOf(ask) : box
  const at = useRef(place)
  const [text, setText] = useState(() => begin(drafts, box, place, drafts.get(box.key)))
  const [, redraw] = useState(0)
  const now = useLatest({ place, mine, text })
  useLayoutEffect(() => {
    const { place, mine, text } = now.current
    const from = at.current
    if (from.key === place.key) return
    at.current = place
    const stays = from.roleId !== '' && !mine.some((a) => answerOf(a).key === from.key) && !text.startsWith('/')
    setText(begin(drafts, from, place, stays ? '' : text, stays))
  }, [drafts, now, place.key])
  const keyOf = (roleId: string): DraftKey => `answer.${conversationId}.${roleId}`
  const kept =
    cast.find((c) => keyOf(c.roleId) !== place.key && drafts.get(keyOf(c.roleId)).trim() !== '')?.roleId ?? ''
  return {
    text,
    type: (next) => {
      setText(next)
      drafts.set(place.key, next)
    },
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
