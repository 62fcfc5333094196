// The page's own box for text, unless the conversation that is shown has one; then a line that calls for the person's
// turn.
import { useApp } from '../panels/context'
import { Prompt } from '../panels/prompt'
import { TurnCall } from '../panels/turn-call'
import type { RealmModel } from '../state/model'
import { useLayout } from './layout'
import type { Tab } from './side'
import { useBox } from './use-box'

interface Props {
  realm: RealmModel
  tab: Tab
  /** Whether the result of the process is shown, which on a phone stands in place of the transcript. */
  result: boolean
}

export function TextBox({ realm, tab, result }: Props) {
  const app = useApp()
  const phone = useLayout() === 'phone'
  const box = useBox(tab)
  if (box === 'own') return <TurnCall realm={realm} />
  const covered = phone && (result || app.conversations.listed.value)
  return <Prompt key={realm.id} realm={realm} shown={box === 'prompt' && !covered} />
}
