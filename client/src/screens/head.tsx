// The first line of the game screen: realm, connection, save status, buttons.
import { useApp } from '../panels/context'
import { SaveChip } from '../panels/save-chip'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { menuWords } from '../words-share'
import { HeadButtons } from './head-buttons'

interface Props {
  realm: RealmModel
  mapShown: boolean
  /** Shows or hides the map; null if the map is always shown. */
  onMap: (() => void) | null
}

export function Head({ realm, mapShown, onMap }: Props) {
  const app = useApp()
  const { name, path } = realm.world.realm
  const lamp = app.live.value ? words.connection.online : words.connection.offline
  const elsewhere = app.pending.value.filter(
    (p) => p.status === 'waiting' && p.realmId !== null && p.realmId !== realm.id,
  )
  return (
    <div class="head-row">
      <h1 title={path || name}>
        <span class="realm-name">{name}</span>
        {path && <span class="quiet path">{path}</span>}
      </h1>
      <span class={app.live.value ? 'lamp lamp-on' : 'lamp'} role="img" aria-label={lamp} title={lamp} />
      <SaveChip />
      {elsewhere.length > 0 && <span class="chip">{words.transcript.otherRealm(elsewhere.length)}</span>}
      <span class="head-buttons">
        {onMap ? (
          <>
            <button type="button" class="ghost" aria-pressed={mapShown} data-testid="toggle-map" onClick={onMap}>
              {words.head.map}
            </button>
            <button type="button" class="ghost" data-testid="open-menu" onClick={() => (app.dialog.value = 'menu')}>
              {menuWords.open}
            </button>
          </>
        ) : (
          <HeadButtons />
        )}
      </span>
    </div>
  )
}
