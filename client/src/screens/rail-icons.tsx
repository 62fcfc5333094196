// The rail (the column beside the map) on a tablet: shields instead of the roster.
import type { Navigation } from '../map/navigation'
import { useApp } from '../panels/context'
import { Shield } from '../panels/shield'
import { StateMark } from '../panels/state-mark'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { otherAgents, seats, stillHere } from '../state/roster'
import { words } from '../words'
import { heroDoing, seatDoing } from '../words-hero'

interface Props {
  realm: RealmModel
  navigation: Navigation
  onRoster: () => void
}

export function RailIcons({ realm, navigation, onRoster }: Props) {
  const app = useApp()
  const cast = useSelect(() => seats(app.model), [app])
  const others = useSelect(() => stillHere(otherAgents(realm)), [realm])
  return (
    <div class="rail rail-icons scroll">
      <button
        type="button"
        class="rail-button"
        onClick={() => navigation.go('')}
        title={words.map.root}
        aria-label={words.map.root}
      >
        <StateMark state="waiting" />
      </button>
      {cast.map((s) => (
        <button
          key={s.role.id}
          type="button"
          class={s.doing === 'running' || s.doing === 'asked' ? 'rail-button lit' : 'rail-button'}
          onClick={onRoster}
          title={`${s.name}: ${seatDoing(s)}`}
          aria-label={`${s.name}: ${seatDoing(s)}`}
        >
          <Shield id={s.role.id} name={s.name} color={s.color} open={s.casting.kind === 'open'} />
        </button>
      ))}
      {others.map((a) => {
        const label = `${a.name}: ${heroDoing(a)}`
        return (
          <button
            key={a.id}
            type="button"
            class={a.status === 'running' ? 'rail-button lit' : 'rail-button'}
            data-testid={`rail-${a.id}`}
            onClick={onRoster}
            title={label}
            aria-label={label}
          >
            <Shield id={a.id} name={a.name} color={a.color} />
          </button>
        )
      })}
    </div>
  )
}
