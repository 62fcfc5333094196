// A page for tests: a process runs, and there are other conversations.
import type { ConversationView, Message, World } from '../net/protocol.gen'
import { drawn, find, greet, KNOWN, openPage, type Page } from './page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from './samples'
import { memoryStorage } from './storages'

export const CAST = [
  { roleId: 'ideator', memberId: 'ideator', kind: 'agent' as const },
  { roleId: 'critic', memberId: 'critic', kind: 'open' as const },
]
export const member = (id: string, type: 'human' | 'agent', order: number) => ({
  id,
  name: id,
  displayName: id === 'ideator' ? 'Ideator' : id === 'p1' ? 'Ann' : id,
  type,
  role: id,
  color: '#4fb8a3',
  order,
})
export const TEAM = { id: 't', name: 't', members: [member('p1', 'human', 0), member('ideator', 'agent', 1)] }
/** A run of a member in a conversation. */
export const run = (memberId: string, conversationId: string) => ({
  conversationId,
  requestId: `q-${memberId}`,
  memberId,
  status: 'running' as const,
  startedAt: AT,
  lastActivityAt: AT,
  startSeq: 4,
})
export const chat = (over: Partial<ConversationView> = {}): ConversationView =>
  view({ conversationId: 'c2', kind: 'chat', title: 'Ideator', team: TEAM, ...over })
export const council = (over: Partial<ConversationView> = {}): ConversationView =>
  view({
    conversationId: 'k',
    kind: 'council',
    title: 'The shelf',
    taskPrompt: 'What should the shelf be called?',
    maxTurns: 4,
    team: { ...TEAM, members: [member('ideator', 'agent', 0), member('critic', 'agent', 1)] },
    plan: { waiting: null, asked: [], turns: 1, maxTurns: 4, nextMemberId: 'critic' },
    ...over,
  })
export const row = (id: string, over: Partial<Message> = {}): Message =>
  message(id, { conversationId: 'c2', stageId: '', seq: 5, ...over })

interface Setup {
  views?: ConversationView[]
  host?: boolean
  browser?: Storage
  layout?: 'desk' | 'phone'
  process?: Parameters<typeof running>[1]
  world?: Partial<World>
}

export async function openConversations({
  views = [],
  host = true,
  browser = memoryStorage(KNOWN),
  layout = 'desk',
  process = {},
  world = {},
}: Setup = {}): Promise<Page> {
  const p = await openPage(browser, memoryStorage(), layout)
  const role = host ? 'host' : 'spectator'
  greet(
    p.net.last,
    info({ role }),
    welcomeSnapshot(50),
    snapshot(50, { ...running(50, { cast: CAST, ...process }), ...world }, [view(), ...views]),
    overlays(),
    { ...seated, role },
  )
  await drawn()
  return p
}

export async function choose(p: Page, id: string): Promise<void> {
  find(p, `talk-${id}`).click()
  await drawn()
}

export const sent = (p: Page, type: string): unknown[] => p.net.last.sent.filter((f) => f.type === type)
export const texts = (p: Page, testid: string): string[] =>
  [...p.root.querySelectorAll(`[data-testid="${testid}"]`)].map((e) => e.textContent ?? '')
