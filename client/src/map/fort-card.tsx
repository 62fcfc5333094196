// The card of a fort on the map.
import type { RealmModel } from '../state/model'
import { fortName } from '../state/select'
import { count, words } from '../words'

export function FortCard({ realm, id }: { realm: RealmModel; id: string }) {
  const f = realm.world.forts.find((other) => other.agentId === id)
  if (!f) return <p class="quiet">{words.map.gone}</p>
  return (
    <>
      <h3>{words.map.fortOf(fortName(realm, f))}</h3>
      <ul class="facts">
        <li>
          {words.map.fortStages[f.stage - 1]} <span class="quiet">({count(f.stage)}/5)</span>
        </li>
        <li>{words.map.biome(f.biome)}</li>
      </ul>
    </>
  )
}
