// How many of its turns in the current stage a member has taken.
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import { progressOf } from '../state/roster'
import { words } from '../words'

export function HeroProgress({ id }: { id: string }) {
  const app = useApp()
  const { turns, wanted } = useSelect(() => progressOf(app.model, id), [app, id])
  if (wanted === 0) return null
  const text = words.map.turns(turns, wanted)
  return (
    <li data-testid="card-progress">
      <progress max={wanted} value={turns} aria-label={text} /> {text}
    </li>
  )
}
