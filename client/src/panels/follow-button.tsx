// A button that makes the map follow a hero.
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { directorWords } from '../words-director'
import { useApp } from './context'
import { Icon } from './icon'
import { usePart } from './use-select'

interface Props {
  realm: RealmModel
  id: string
  name: string
}

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
      <Icon name="eye" />
    </button>
  )
}
