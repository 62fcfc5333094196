// The text box of the page. If the shown conversation has a text box of its own, this is a line that tells the
// person about their turn instead.
import { useApp } from '../panels/context'
import { Prompt } from '../panels/prompt'
import { TurnCall } from '../panels/turn-call'
import type { RealmModel } from '../state/model'
import { useLayout } from './viewport'
import type { Tab } from './side'
import { useBox } from './use-box'

interface Props {
  realm: RealmModel
  tab: Tab
  /** Whether the result of the process is shown. On a phone the result replaces the transcript. */
  result: boolean
}

export function TextBox({ realm, tab, result }: Props) {
  const app = useApp()
  const phone = useLayout() === 'phone'
  const box = useBox(tab)
  if (box === 'own') return <TurnCall realm={realm} />
  const covered = phone && (result || app.conversations.listed.value)
  const astray = box === 'apart' && tab === 'talk' && !covered
  return <Prompt key={realm.id} realm={realm} shown={box === 'prompt' && !covered} astray={astray} />
}
