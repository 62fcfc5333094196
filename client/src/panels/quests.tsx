// The quests tab. Each button sends the /quest command that a person could type into the page's text box.
import { hasReviewed } from '../state/coverage'
import { words } from '../words'
import { BeginWork } from './begin-work'
import { useApp } from './context'
import { Empty } from './empty'
import { QuestLog, type QuestsProps } from './quest-log'
import { usePart } from './use-select'

export function Quests({ realm, onGo, onFinding, onFindings }: QuestsProps & { onFindings: () => void }) {
  const app = useApp()
  const found = usePart(() => realm.world.findings.some((f) => !f.withdrawn), [realm])
  const none = usePart(() => realm.world.quests.length === 0, [realm])
  const reviewed = usePart(() => hasReviewed(realm.world), [realm])
  if (none) {
    const { text, next } = words.quests.none[!reviewed ? 'unreviewed' : found ? 'mild' : 'clean']
    return (
      <Empty text={text} next={next} testid="quests">
        {found && app.host.value ? (
          <button type="button" data-testid="empty-findings" onClick={onFindings}>
            {words.quests.toFindings}
          </button>
        ) : (
          <BeginWork realm={realm} />
        )}
      </Empty>
    )
  }
  return <QuestLog realm={realm} onGo={onGo} onFinding={onFinding} />
}
