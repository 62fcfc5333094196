// The map of a realm without a folder: the members around a campfire.
import { useApp } from '../panels/context'
import { Shield } from '../panels/shield'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { Campfire } from './campfire'

export function Camp({ realm }: { realm: RealmModel }) {
  const app = useApp()
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
      {app.host.value && (
        <button type="button" data-testid="empty-link" onClick={() => app.chooseRealm()}>
          {words.map.bareLink}
        </button>
      )}
    </div>
  )
}
