// The path of the room as buttons: one for the linked folder, and one for each folder of the path.
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { readable } from './path'

interface Props {
  realm: RealmModel
  path: string
  onGo: (path: string) => void
}

export function Crumbs({ realm, path, onGo }: Props) {
  const parts = path === '' ? [] : path.split('/')
  return (
    <nav class="crumbs" aria-label={words.map.room(path || realm.world.realm.name)}>
      <button
        type="button"
        class="link"
        onClick={() => onGo('')}
        aria-current={parts.length === 0 ? 'page' : undefined}
      >
        {realm.world.realm.name}
      </button>
      {parts.map((part, i) => (
        <span key={i}>
          <span class="quiet"> / </span>
          <button
            type="button"
            class="link"
            onClick={() => onGo(parts.slice(0, i + 1).join('/'))}
            aria-current={i === parts.length - 1 ? 'page' : undefined}
          >
            {readable(part)}
          </button>
        </span>
      ))}
    </nav>
  )
}
