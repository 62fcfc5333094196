// A notice about what a salvage of the database recovered. The notice cannot be closed, because all other data stays
// lost.
import { join, moment, words } from '../words'
import type { RealmModel } from '../state/model'
import { StateMark } from './state-mark'

export function SalvageNotice({ realm }: { realm: RealmModel }) {
  const s = realm.world.salvage
  if (!s) return null
  const w = words.restored
  const files = s.setAside && s.setAside.length > 0 ? w.salvageFiles(join(s.setAside)) : ''
  return (
    <details class="banner banner-salvage" data-testid="salvage">
      <summary>
        <StateMark state="interrupted" />
        <span>
          {w.salvage(w.salvageMessages(s.messages, s.messagesKnown), w.salvageEvents(s.events, s.eventsKnown))}
        </span>
      </summary>
      <p class="quiet">{w.salvageMore(moment(s.at), files).trim()}</p>
    </details>
  )
}
