// A button that makes the map follow a hero.
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { directorWords } from '../words-director'
import { useApp } from './context'
import { usePart } from './use-select'

interface Props {
  realm: RealmModel
  id: string
  name: string
}

/** The outline of an eye without its iris. */
const EYE =
  'M8 3C4 3 1.5 6 .5 8c1 2 3.5 5 7.5 5s6.5-3 7.5-5c-1-2-3.5-5-7.5-5z' +
  'm0 8.2a3.2 3.2 0 1 1 0-6.400 3.2 3.2 0 0 1 0 6.400z'

/** Renders nothing for a member that is not on the map. */
export function FollowButton({ realm, id, name }: Props) {
  const { watching } = useApp()
  const here = usePart(() => heroesOf(realm.world).some((a) => a.id === id), [realm, id])
  if (!here) return null
  const on = watching.hero.value === id
  const label = on ? directorWords.followed(name) : directorWords.follow(name)
  return (
    <button
      type="button"
      class="icon-button follow-hero"
      aria-pressed={on}
      aria-label={label}
      title={label}
      data-testid={`follow-${id}`}
      onClick={() => (on ? watching.action() : watching.follow(id))}
    >
      <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
        <path d={EYE} fill="currentColor" fill-rule="evenodd" />
        <circle cx="8" cy="8" r="1.6" fill="currentColor" />
      </svg>
    </button>
  )
}
