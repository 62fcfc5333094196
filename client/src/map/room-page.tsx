// The map as a list: one page of one room.
import { useState } from 'preact/hooks'
import { CopyLink } from '../panels/copy-link'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { BackButton } from './back-button'
import { Crumbs } from './crumbs'
import { parent } from './path'
import { deadRoomText } from './dead-room-text'
import { Room } from './room'
import type { Navigation } from './navigation'
import { useMarkedPage } from './use-marked-page'
import { useRoom } from './use-room'

export function RoomPage({ realm, navigation }: { realm: RealmModel; navigation: Navigation }) {
  const [page, setPage] = useState(0)
  const { path, marked } = navigation
  const { map } = realm.world
  const { room, asking, again } = useRoom(realm, path, page)
  useMarkedPage(room, marked, setPage)
  return (
    <>
      <header class="room-head">
        <span class="drawn-way">
          <BackButton navigation={navigation} />
          <Crumbs realm={realm} path={path} onGo={(to) => navigation.go(to)} />
          <CopyLink to={{ kind: 'folder', realmId: realm.id, path }} label={words.map.copyFolder} testid="copy-place" />
        </span>
        <p class="quiet">{words.map.scanned(map.files, map.folders)}</p>
      </header>
      {map.missing && (
        <p class="map-missing" role="status">
          {words.map.missing}
        </p>
      )}
      {room ? (
        <Room change={room} realm={realm} navigation={navigation} onPage={setPage} />
      ) : asking?.status === 'refused' ? (
        <div class="empty" role="alert">
          <p>{deadRoomText(asking)}</p>
          <div class="buttons">
            <button type="button" onClick={again}>
              {words.map.again}
            </button>
            {path !== '' && (
              <button type="button" onClick={() => navigation.go(parent(path))}>
                {words.map.back}
              </button>
            )}
          </div>
        </div>
      ) : (
        <p class="empty quiet">{words.map.loading}</p>
      )}
    </>
  )
}
