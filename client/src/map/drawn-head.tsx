// The line above the drawn map: the size of the country, or the path and the pages of the room.
import { CopyLink } from '../panels/copy-link'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { BackButton } from './back-button'
import { Crumbs } from './crumbs'
import type { Place } from './canvas/place'
import type { Navigation } from './navigation'

interface Props {
  realm: RealmModel
  navigation: Navigation
  place: Place
  pages: number
  onGo: (path: string) => void
  onLeave: () => void
  onPage: (page: number) => void
}

export function DrawnHead({ realm, navigation, place, pages, onGo, onLeave, onPage }: Props) {
  const { map } = realm.world
  if (place === null) {
    return (
      <header class="room-head country-head">
        <div class="drawn-way">
          <p class="quiet">{map.missing ? words.map.missing : words.map.scanned(map.files, map.folders)}</p>
          <CopyLink to={{ kind: 'realm', realmId: realm.id }} label={words.map.copyRealm} testid="copy-place" />
        </div>
      </header>
    )
  }
  const { path, page } = place
  return (
    <header class="room-head">
      <div class="drawn-way">
        <button type="button" class="small" data-testid="map-leave" onClick={onLeave}>
          {words.map.country}
        </button>
        <BackButton navigation={navigation} />
        <Crumbs realm={realm} path={path} onGo={onGo} />
        <CopyLink to={{ kind: 'folder', realmId: realm.id, path }} label={words.map.copyFolder} testid="copy-place" />
      </div>
      {pages > 1 && (
        <span class="drawn-pages">
          <button
            type="button"
            class="small"
            disabled={page === 0}
            onClick={() => onPage(page - 1)}
            aria-label={words.map.previous}
          >
            ‹
          </button>{' '}
          {words.map.page(page + 1, pages)}{' '}
          <button
            type="button"
            class="small"
            disabled={page + 1 >= pages}
            onClick={() => onPage(page + 1)}
            aria-label={words.map.next}
          >
            ›
          </button>
        </span>
      )}
    </header>
  )
}
