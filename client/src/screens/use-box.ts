// Decides which text box the screen has. There is one at a time.
import { kindOf } from '../kinds/kinds'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import { HALL } from '../conversations'
import type { App } from '../app'
import { isErased } from '../state/erased'
import { isHere } from '../state/conversations'
import type { Tab } from './side'

/**
 * own: the shown conversation has a text box of its own. prompt: the page's text box, while the transcript into which
 * it writes is shown. apart: the page's text box, while something else is shown.
 */
export type Box = 'own' | 'prompt' | 'apart'

export function useBox(tab: Tab): Box {
  const app = useApp()
  return useSelect(() => boxOf(app, tab), [app, tab])
}

function boxOf({ model, conversations }: App, tab: Tab): Box {
  const realm = model.realm
  if (realm === null || tab !== 'talk') return 'apart'
  const id = conversations.chosen.value
  if (id === '' || id === HALL || id === realm.world.processState.conversationId) return 'prompt'
  if (isErased(realm, id)) return 'apart'
  const view = realm.views[id]
  if (!isHere(view)) return 'apart'
  return kindOf(view).hasBox({ view, realm }, model) ? 'own' : 'apart'
}
