// How many of its turns in the current stage a member has taken and, while it reads for long, how many files are read.
import { useApp } from '../panels/context'
import { ReadFiles } from '../panels/read-files'
import { useSelect } from '../panels/use-select'
import { progressOf } from '../state/roster'
import { words } from '../words'

export function HeroProgress({ id }: { id: string }) {
  const app = useApp()
  const { turns, wanted, running } = useSelect(() => progressOf(app.model, id), [app, id])
  if (wanted === 0) return null
  const text = words.map.turns(turns, wanted)
  return (
    <li data-testid="card-progress">
      <progress max={wanted} value={turns} aria-label={text} /> {text}
      {running && app.model.realm && <ReadFiles realm={app.model.realm} />}
    </li>
  )
}
