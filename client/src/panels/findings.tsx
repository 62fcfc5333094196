// What was found: sifted and ordered as the reader chooses, any number of it. The
// choice is the app's, so that it outlives a look at another tab.
import { words } from '../words'
import type { RealmModel } from '../state/model'
import { FindingsBoard } from './findings-board'
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
        <p>{words.findings.empty}</p>
        <p class="quiet">{words.findings.emptyNext}</p>
      </div>
    )
  }
  return <FindingsBoard realm={realm} onGo={onGo} />
}
