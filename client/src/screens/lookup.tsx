// The command palette, the list of keys and the legend over the game screen, with the keys that open them. The page
// loads each when it is first opened.
import { useApp } from '../panels/context'
import { Late } from './late'
import { useGo, type Ways } from './use-go'
import { useShortcuts } from './use-shortcuts'

const palette = () => import('../palette/palette').then((m) => m.Palette)
const keys = () => import('../palette/keys').then((m) => m.Keys)
const legend = () => import('../map/legend-dialog').then((m) => m.LegendDialog)

export function Lookup(ways: Ways) {
  const app = useApp()
  const onPick = useGo(ways)
  useShortcuts((shortcut) => (app.lookup.value = app.lookup.peek() === shortcut ? null : shortcut))
  const close = () => (app.lookup.value = null)
  if (app.lookup.value === 'palette') return <Late load={palette} fail={close} props={{ onPick, onClose: close }} />
  if (app.lookup.value === 'keys') return <Late load={keys} fail={close} props={{ onClose: close }} />
  if (app.lookup.value === 'legend') return <Late load={legend} fail={close} props={{ onClose: close }} />
  return null
}
