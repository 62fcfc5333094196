// A mark of people on the map: small figures in the people's colours. Its explanation says who looks at what.
import { directorWords as w } from '../../words-director'
import { plainName } from '../../panels/plain-name'
import { toneStyle } from '../../panels/tones'
import type { MapMark } from './map-marks'
import { PersonFigure } from './person-figure'

/** The maximum number of figures of a mark. If there are more people, the mark shows the number of the others. */
const MOST = 3

interface Props {
  mark: MapMark
  name: string
  /** Whether the Tab key focuses this mark. */
  stop: boolean
  onPick: (mark: MapMark) => void
}

export function PeopleMark({ mark: m, name, stop, onPick }: Props) {
  const shown = m.people.slice(0, MOST)
  const more = m.people.length - shown.length
  const label = w.look(
    shown.map((p) => p.name),
    more,
    name,
  )
  return (
    <button
      type="button"
      tabIndex={stop ? 0 : -1}
      class="map-mark map-mark-people"
      aria-label={label}
      data-testid={`people-${m.path}`}
      onClick={() => onPick(m)}
    >
      {shown.map((p) => (
        <span key={p.id} class="person">
          <PersonFigure color={p.color} />
          <span class="person-initial" style={toneStyle(p.color)}>
            {[...plainName(p.name)][0]?.toUpperCase() ?? '?'}
          </span>
        </span>
      ))}
      {more > 0 && <span class="people-more">+{more}</span>}
      <span class="mark-tip">{label}</span>
    </button>
  )
}
