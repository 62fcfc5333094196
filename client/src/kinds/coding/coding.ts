// The kind coding: a session of a coding agent that a person runs in its own program. The page shows the session, and
// lets the owner send messages to the agent.
import type { ConversationView } from '../../net/protocol.gen'
import { isOpen } from '../../state/doors'
import { isHeld } from '../../state/roster'
import { isGuest, isHost } from '../../state/select'
import { worktreeOf } from '../../state/touches'
import { agentFile, agentWords } from '../../words-agents'
import { words } from '../../words'
import type { ConversationProps, Kind } from '../kind'
import { Elsewhere } from './elsewhere'
import { briefOf } from './brief'
import { agentOf, isLive, programOf, stateOf } from './state'
import { Summary } from './summary'
import { codingWords } from './words'

/**
 * Returns two facts: what the agent does, and in which file. While the agent waits for a person, the first fact is
 * left out, because statusLine says what the agent waits for.
 */
function facts({ view, realm }: ConversationProps, host: boolean): string[] {
  const s = stateOf(realm, view)
  if (!s || !isLive(view)) return []
  const worktree = worktreeOf(realm.world, view.team.members[0]?.id ?? '', s.path ?? '')
  return [isHeld({ state: s }) ? '' : agentWords(s, host, realm.world.realm.path), agentFile(s, worktree)].filter(
    Boolean,
  )
}

function statusLine({ view, realm }: ConversationProps, host: boolean): string {
  if (view.status === 'interrupted') return codingWords.lost(programOf(view))
  const s = stateOf(realm, view)
  if (!s || !isLive(view) || !isHeld({ state: s })) return ''
  // While a permission question is open, its own text says what the agent waits for, so the status omits the
  // reason.
  const asks = realm.world.doors?.some((d) => d.conversationId === view.conversationId && isOpen(d))
  return agentWords(asks ? { ...s, reason: '' } : s, host, realm.world.realm.path)
}

/** The line below the last row of a session that is over. */
function endLine(v: ConversationView): string {
  if (v.status === 'failed') return codingWords.failed(programOf(v))
  return v.status === 'completed' ? codingWords.over(programOf(v)) : ''
}

/**
 * The author name of a row that a person typed in the terminal. A row that a person sent from the page has that
 * person's name.
 */
const PROMPT = 'prompt'

export const coding: Kind = {
  name: 'coding',
  label: () => ({ id: 'coding', word: codingWords.name }),
  listStatus: (c) => (isLive(c) ? '' : words.conversation.status[c.status]),
  listNote: (c) => agentOf(c),
  isLive,
  isRunning: (m, v) => isLive(v) && stateOf(m.realm, v)?.state === 'working',
  isMyTurn: (m, v) => {
    const s = stateOf(m.realm, v)
    return isHost(m) && s !== null && isLive(v) && isHeld({ state: s })
  },
  waits: { mark: 'waiting', word: codingWords.waits },
  facts,
  statusLine,
  canRename: false,
  showsTask: false,
  empty: () => codingWords.emptyTranscript,
  showsWork: () => false,
  endLine,
  row: (m, text) => {
    const name = m.role !== 'user' || m.name !== PROMPT ? '' : codingWords.prompt
    return { text, exact: m.role === 'user', chips: [], as: '', name, bySpeaker: true }
  },
  toolBrief: briefOf,
  // Elsewhere has the box, or says why the agent can receive nothing. Another box there would lead what a person writes
  // to the agent to somebody else.
  hasBox: ({ view }, m) => isHost(m) && !isGuest(m) && isLive(view),
  RowsEnd: Elsewhere,
  HeadTools: Summary,
}
