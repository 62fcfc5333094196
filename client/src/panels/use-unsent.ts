// What the person typed in the shown conversation before it ended: the conversation has no box for text any more.
import { useState } from 'preact/hooks'
import { kindOf } from '../kinds/kinds'
import { isHere } from '../state/conversations'
import type { RealmModel } from '../state/model'
import { useApp } from './context'

interface Unsent {
  /** The text; '' for none. */
  text: string
  discard: () => void
}

export function useUnsent(realm: RealmModel): Unsent {
  const { conversations, drafts, model } = useApp()
  const [, redraw] = useState({})
  const id = conversations.chosen.value
  const view = realm.views[id]
  const over = isHere(view) && !kindOf(view).hasBox({ view, realm }, model)
  return {
    text: over ? drafts.get(`talk.${id}`).trim() : '',
    discard: () => {
      drafts.set(`talk.${id}`, '')
      redraw({})
    },
  }
}
