// The map, as a drawing or as a list with the same content. The page loads the drawing after the first screen. If the
// drawing cannot be loaded or drawn, the page shows the list.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import type { RealmModel } from '../state/model'
import { noFilter } from '../state/findings'
import { linked } from '../state/select'
import { words } from '../words'
import { Camp } from './camp'
import { canDraw, drawsMap, MAP_FORM } from './can-draw'
import { DrawnMap } from './drawn-map'
import { Happenings } from './happenings'
import { LegendButton } from './legend-button'
import { RoomPage } from './room-page'
import type { Navigation } from './navigation'

type Form = 'drawn' | 'list'

interface Props {
  realm: RealmModel
  navigation: Navigation
  /** Shows the list of findings. */
  onFindings: () => void
  /** The elements that are shown on top of the drawn map. */
  over?: ComponentChildren
}

export function MapSection({ realm, navigation, onFindings, over }: Props) {
  const app = useApp()
  const [form, setForm] = useState<Form>(() => (drawsMap(app.storage) ? 'drawn' : 'list'))
  const [failed, setFailed] = useState(false)
  const bare = !linked(realm.world)
  const pick = (f: Form) => {
    setForm(f)
    app.storage.set(MAP_FORM, f)
  }
  const toFindings = (folder: string) => {
    app.findingsFilter.value = { ...noFilter(realm.id), folder }
    onFindings()
  }
  const drawn = form === 'drawn' && !failed
  return (
    <section class="map" data-testid="map" data-form={drawn ? 'drawn' : 'list'} aria-label={words.map.label}>
      <h2 class="visually-hidden">{words.map.label}</h2>
      <div class="map-forms" role="group" aria-label={words.map.forms}>
        <button
          type="button"
          class="ghost small"
          aria-pressed={drawn}
          disabled={failed || !canDraw()}
          title={failed ? words.map.notDrawn : undefined}
          data-testid="map-drawn"
          onClick={() => pick('drawn')}
        >
          {words.map.drawn}
        </button>
        <button
          type="button"
          class="ghost small"
          aria-pressed={!drawn}
          data-testid="map-list"
          onClick={() => pick('list')}
        >
          {words.map.list}
        </button>
        <LegendButton />
      </div>
      {drawn ? (
        <DrawnMap
          realm={realm}
          navigation={navigation}
          onFail={() => setFailed(true)}
          onFindings={toFindings}
          over={over}
        />
      ) : bare ? (
        <Camp realm={realm} />
      ) : (
        <RoomPage key={navigation.path} realm={realm} navigation={navigation} />
      )}
      <Happenings realm={realm} />
    </section>
  )
}
