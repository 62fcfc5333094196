// The map of a realm without a folder: the members around a campfire.
import { Shield } from '../panels/shield'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { Campfire } from './campfire'

export function Camp({ realm }: { realm: RealmModel }) {
  return (
    <div class="camp">
      <div class="camp-ring">
        {realm.agentLabels.map((a) => (
          <span key={a.id} title={words.map.standing(a.name)}>
            <Shield id={a.id} name={a.name} color={a.color} />
          </span>
        ))}
      </div>
      <Campfire />
      <h2>{words.map.bare}</h2>
      <p class="quiet">{words.map.bareText}</p>
    </div>
  )
}
