// The card of a file, a hero or a fort on the map.
import { useEffect } from 'preact/hooks'
import type { MapChange } from '../net/protocol.gen'
import { useSelect } from '../panels/use-select'
import { heroOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { FileCard } from './file-card'
import { HeroCard } from './hero-card'
import { FortCard } from './fort-card'

export type Subject = { kind: 'hero'; id: string } | { kind: 'fort'; id: string } | { kind: 'object'; path: string }

interface Props {
  realm: RealmModel
  room: MapChange | undefined
  subject: Subject
  onClose: () => void
  onFollow: (id: string) => void
  onGo: (path: string) => void
}

/** The card closes when its hero leaves the realm: it has nothing to show then, and covers buttons of the map. */
export function Card({ realm, room, subject, onClose, onFollow, onGo }: Props) {
  const left = useSelect(() => subject.kind === 'hero' && !heroOf(realm.world, subject.id), [realm, subject])
  useEffect(() => {
    if (left) onClose()
  }, [left, onClose])
  return (
    <div class="map-card" data-testid="map-card" role="dialog" aria-label={words.map.card}>
      <button type="button" class="ghost small card-close" aria-label={words.close} onClick={onClose}>
        ×
      </button>
      {subject.kind === 'object' ? (
        <FileCard realm={realm} room={room} path={subject.path} />
      ) : subject.kind === 'hero' ? (
        <HeroCard realm={realm} id={subject.id} onFollow={onFollow} onGo={onGo} />
      ) : (
        <FortCard realm={realm} id={subject.id} />
      )}
    </div>
  )
}
