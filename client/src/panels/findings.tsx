// The findings tab. The App keeps the filter, so that it survives a change of the tab.
import { words } from '../words'
import type { RealmModel } from '../state/model'
import { Coverage } from './coverage'
import { FindingsList } from './findings-list'
import { usePart } from './use-select'

interface Props {
  realm: RealmModel
  onGo: (room: string) => void
}

export function Findings({ realm, onGo }: Props) {
  const none = usePart(() => realm.world.findings.length === 0, [realm])
  if (none) {
    return (
      <div class="empty" data-testid="findings">
        <Coverage artifacts={realm.world.artifacts} />
        <p>{words.findings.empty}</p>
        <p class="quiet">{words.findings.emptyNext}</p>
      </div>
    )
  }
  return <FindingsList realm={realm} onGo={onGo} />
}
