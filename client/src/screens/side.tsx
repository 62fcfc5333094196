// The tabs beside the map: conversations, findings, quests, artifacts and the roster. On a desktop the roster is no
// tab: it has a place of its own beside the map.
import { useMemo } from 'preact/hooks'
import { listConversations } from '../kinds/list-conversations'
import { Artifacts } from '../panels/artifacts'
import { Badge } from '../panels/badge'
import { useApp } from '../panels/context'
import { DeadFinding } from '../panels/dead-finding'
import { Findings } from '../panels/findings'
import type { GoTo } from '../panels/place'
import { Quests } from '../panels/quests'
import { Roster } from '../panels/roster'
import { StageBar } from '../panels/stage-bar'
import { Tabs, type TabSpec } from '../panels/tabs'
import { ConversationsTab } from '../panels/conversation/conversations-tab'
import { useSelect } from '../panels/use-select'
import { countStanding } from '../state/findings'
import { openQuests } from '../state/quests'
import type { RealmModel } from '../state/model'
import { hasNews } from '../state/news'
import { words } from '../words'
import { useLayout } from './viewport'

export type Tab = 'talk' | 'findings' | 'quests' | 'artifacts' | 'roster'

interface Props {
  realm: RealmModel
  tab: Tab
  /** Whether the result of the process is shown beside the tabs. */
  result: boolean
  /** Whether the result of any process is shown. On a phone it covers the tabs. */
  covered: boolean
  onTab: (tab: Tab) => void
  /** Whether the current process waits for the person at this page. */
  asked: boolean
  /** Shows the room of a finding or a quest on the map. */
  onRoom: GoTo
  /**
   * Starts a process. On a phone the roster offers this button while coding agents are at work and there is no
   * process. Null in all other cases.
   */
  onStart: (() => void) | null
}

export function Side({ realm, tab, result, covered, onTab, asked, onRoom, onStart }: Props) {
  const app = useApp()
  const layout = useLayout()
  const phone = layout === 'phone'
  const open = tab === 'talk' && !(phone && covered)
  const news = useSelect(() => isLit(app, open, phone), [app, open, phone])
  const count = useMemo(
    () => ({
      findings: () => countStanding(realm.world.findings),
      quests: () => openQuests(realm.world.quests),
      artifacts: () => realm.world.artifacts.length,
    }),
    [realm],
  )
  const toFinding = (id: string) => {
    app.showFinding(id)
    onTab('findings')
  }
  const tabs: TabSpec<Tab>[] = [
    { id: 'talk', label: words.tabs.talk, lit: asked || news },
    { id: 'findings', label: words.tabs.findings, badge: <Badge of={count.findings} /> },
    { id: 'quests', label: words.tabs.quests, badge: <Badge of={count.quests} hint={words.quests.open} /> },
    { id: 'artifacts', label: words.tabs.artifacts, badge: <Badge of={count.artifacts} /> },
  ]
  if (layout !== 'desk') tabs.push({ id: 'roster', label: words.tabs.roster })
  return (
    <aside class="panel">
      <Tabs tabs={tabs} current={tab} onPick={onTab} label={words.tabs.label}>
        {tab === 'talk' && <ConversationsTab realm={realm} phone={layout === 'phone'} key={realm.id} />}
        {tab === 'findings' && <DeadFinding />}
        {tab === 'findings' && <Findings realm={realm} phone={layout === 'phone'} onGo={onRoom} />}
        {tab === 'quests' && (
          <Quests realm={realm} onGo={onRoom} onFinding={toFinding} onFindings={() => onTab('findings')} />
        )}
        {tab === 'artifacts' && <Artifacts realm={realm} result={result} />}
        {tab === 'roster' && (
          <div class="scroll roster-tab">
            <Roster realm={realm} />
            {onStart && layout === 'phone' && <StageBar realm={realm} onStart={onStart} onResult={null} />}
          </div>
        )}
      </Tabs>
    </aside>
  )
}

/**
 * Whether the tab of the conversations has a mark: one of those that are not shown waits for the person or has news.
 * open: whether the page shows the tab. There the rows of the list have the marks; a phone that shows a transcript
 * shows no list.
 */
function isLit({ model, conversations }: ReturnType<typeof useApp>, open: boolean, phone: boolean): boolean {
  const { realm, me } = model
  if (realm === null || (open && (!phone || conversations.listed.value))) return false
  const { seen } = conversations
  const shown = open ? conversations.chosen.value : ''
  return listConversations(model).some(
    (t) => t.conversationId !== shown && (t.asked || hasNews(realm, t, seen, me?.spectatorId)),
  )
}
