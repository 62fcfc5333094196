// A page for tests of parties: a team of two people and two agents, and a session of it.
import type { ConversationView, Message, Party, TeamInfo } from '../net/protocol.gen'
import { memoryStorage } from './storages'
import { drawn, greet, KNOWN, openPage, type Page } from './page'
import { info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from './samples'

const member = (id: string, type: 'human' | 'agent', order: number) => ({
  id,
  name: id,
  displayName: id[0]?.toUpperCase() + id.slice(1),
  type,
  role: id,
  color: '#4fb8a3',
  order,
})
export const TEAM = {
  id: 'guild',
  name: 'The Guild',
  members: [
    member('ada', 'human', 0),
    member('bob', 'human', 1),
    member('architect', 'agent', 2),
    member('sage', 'agent', 3),
  ],
}
export const SESSION = {
  sessionId: 's1',
  title: 'Restored - Nov 27, 03:04 PM',
  updatedAt: new Date(Date.now() - 2 * 3600_000).toISOString(),
  messages: 15,
  summary: '15 messages - "Where do we begin..."',
}
export const listed = (sessions: TeamInfo['sessions'] = []): TeamInfo => ({ ...TEAM, sessions })
export const party = (over: Partial<Party> = {}): Party => ({
  teamId: 'guild',
  conversationId: 's1',
  status: 'paused',
  waitingFor: 'ada',
  executing: null,
  queue: [],
  teamTask: '',
  seats: [],
  newest: 'm',
  local: 0,
  turns: 0,
  asked: 0,
  ...over,
})
export const session = (over: Partial<ConversationView> = {}): ConversationView =>
  view({ conversationId: 's1', kind: 'party', title: 'The Guild', status: 'paused', team: TEAM, ...over })
export const row = (id: string, over: Partial<Message> = {}): Message =>
  message(id, { conversationId: 's1', stageId: '', seq: 5, memberId: 'architect', name: 'Architect', ...over })

export async function openParty(
  views: ConversationView[] = [],
  at?: Partial<Party>,
  browser = memoryStorage(KNOWN),
): Promise<Page> {
  const p = await openPage(browser, memoryStorage())
  const w = running(50)
  greet(
    p.net.last,
    info(),
    welcomeSnapshot(50),
    snapshot(50, at ? { ...w, party: party(at) } : w, [view(), ...views]),
    overlays(),
    seated,
  )
  await drawn()
  return p
}
