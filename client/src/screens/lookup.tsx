// The command palette and the list of keys over the game screen, with the keys that open them. Both are loaded when
// they are first opened.
import { useApp } from '../panels/context'
import { Late } from './late'
import { useGo, type Ways } from './use-go'
import { useShortcuts } from './use-shortcuts'

const palette = () => import('../palette/palette').then((m) => m.Palette)
const keys = () => import('../palette/keys').then((m) => m.Keys)

export function Lookup(ways: Ways) {
  const app = useApp()
  const onPick = useGo(ways)
  useShortcuts((shortcut) => (app.lookup.value = app.lookup.peek() === shortcut ? null : shortcut))
  const close = () => (app.lookup.value = null)
  if (app.lookup.value === 'palette') return <Late load={palette} fail={close} props={{ onPick, onClose: close }} />
  if (app.lookup.value === 'keys') return <Late load={keys} fail={close} props={{ onClose: close }} />
  return null
}
