// The findings tab. The App keeps the filter, so that it survives a change of the tab.
import type { ProcessState } from '../net/protocol.gen'
import { findingStage } from '../state/finding-stage'
import { words } from '../words'
import { hasReviewed } from '../state/coverage'
import type { RealmModel } from '../state/model'
import { BeginWork } from './begin-work'
import { Coverage } from './coverage'
import { Empty } from './empty'
import { FindingsList } from './findings-list'
import type { GoTo } from './place'
import { usePart } from './use-select'

interface Props {
  realm: RealmModel
  /** Whether the page is as narrow as a phone. */
  phone: boolean
  onGo: GoTo
}

export function Findings({ realm, phone, onGo }: Props) {
  const reviewed = usePart(() => hasReviewed(realm.world), [realm])
  const none = usePart(() => realm.world.findings.length === 0, [realm])
  const next = usePart(() => comeNext(realm.world.processState), [realm])
  if (none) {
    return (
      <Empty
        text={reviewed ? words.findings.proved : words.findings.empty}
        next={reviewed ? words.findings.provedNext : next}
        testid="findings"
        above={<Coverage artifacts={realm.world.artifacts} />}
      >
        <BeginWork realm={realm} />
      </Empty>
    )
  }
  return <FindingsList realm={realm} phone={phone} onGo={onGo} />
}

/** When the first findings come. */
function comeNext(p: ProcessState): string {
  const at = findingStage(p)
  const [w, stages] = [words.findings, p.template?.stages ?? []]
  const name = stages[at]?.name
  if (name === undefined) return w.emptyNext
  if (p.currentStageIndex < at) return w.emptyBefore(name, at + 1)
  return p.currentStageIndex === at ? w.emptyNow : w.emptyAfter(name)
}
