// The page's own box for text, unless the conversation that is shown has one; then a line that calls for the person's
// turn.
import { Prompt } from '../panels/prompt'
import { TurnCall } from '../panels/turn-call'
import type { RealmModel } from '../state/model'
import type { Tab } from './side'
import { useBox } from './use-box'

export function TextBox({ realm, tab }: { realm: RealmModel; tab: Tab }) {
  const box = useBox(tab)
  if (box === 'own') return <TurnCall realm={realm} />
  return <Prompt key={realm.id} realm={realm} shown={box === 'prompt'} />
}
