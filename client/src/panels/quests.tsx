// The quests tab. Each button sends the /quest command that a person could type into the prompt.
import { words } from '../words'
import { QuestLog, type QuestsProps } from './quest-log'
import { usePart } from './use-select'

export function Quests({ realm, onGo, onFinding }: QuestsProps) {
  const none = usePart(() => realm.world.quests.length === 0, [realm])
  if (none) {
    return (
      <div class="empty" data-testid="quests">
        <p>{words.quests.empty}</p>
        <p class="quiet">{words.quests.emptyNext}</p>
      </div>
    )
  }
  return <QuestLog realm={realm} onGo={onGo} onFinding={onFinding} />
}
