// The map's place on the page: drawn, where the browser can, or as a list. Both read the same facts; the drawing is
// loaded after the first screen and may fail.
import { useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import type { RealmModel } from '../state/model'
import { linked } from '../state/select'
import { words } from '../words'
import { Camp } from './camp'
import { canDraw } from './can-draw'
import { DrawnMap } from './drawn-map'
import { Happenings } from './happenings'
import { RoomPage } from './room-page'
import type { Standing } from './standing'

type Form = 'drawn' | 'list'
const KEY = 'map'

export function MapSection({ realm, standing }: { realm: RealmModel; standing: Standing }) {
  const app = useApp()
  const [form, setForm] = useState<Form>(() => (canDraw() && app.shelf.get(KEY) !== 'list' ? 'drawn' : 'list'))
  const [failed, setFailed] = useState(false)
  const bare = !linked(realm.world)
  const pick = (f: Form) => {
    setForm(f)
    app.shelf.set(KEY, f)
  }
  const drawn = form === 'drawn' && !failed
  return (
    <section class="map" data-testid="map" data-form={drawn ? 'drawn' : 'list'} aria-label={words.map.label}>
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
      </div>
      {drawn ? (
        <DrawnMap realm={realm} standing={standing} onFail={() => setFailed(true)} />
      ) : bare ? (
        <Camp realm={realm} />
      ) : (
        <RoomPage key={standing.path} realm={realm} standing={standing} />
      )}
      <Happenings realm={realm} />
    </section>
  )
}
