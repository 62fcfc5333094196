// The kind process: people and agents go through stages. The page's text box, stage bar and roster already serve the
// process, so its transcript has no composer and no "at work" line.
import type { ConversationView } from '../../net/protocol.gen'
import type { Model } from '../../state/model'
import { asks, casting, hasProcess, myAsks, nameOf } from '../../state/select'
import { join, words } from '../../words'
import type { Control, ConversationProps, Kind } from '../kind'
import { AfterProcess } from './after'
import { ProcessTools } from './tools'
import { processWords } from './words'

const NAME = 'process'

function controls({ view, realm }: ConversationProps): Control[] {
  const p = realm.world.processState
  const { conversationId } = view
  if (conversationId !== p.conversationId || !hasProcess(realm.world)) return []
  const w = words.conversation
  const end: Control = {
    testid: 'talk-abort',
    label: processWords.abort,
    look: 'ghost',
    frame: { type: 'conversation.abort', conversationId },
    confirm: { title: w.abortAsk(view.title), text: processWords.abortText, yes: w.abortYes },
  }
  if (p.status === 'paused' || p.pausing) return [end]
  const frame = { type: 'player:command', text: '/pause' } as const
  return [{ testid: 'talk-pause', label: w.pause, look: 'plain', frame }, end]
}

/** The title, and the whole problem, of which the title has the beginning. */
function fullTitle({ view, realm }: ConversationProps): string {
  const p = realm.world.processState
  const problem = view.conversationId === p.conversationId ? p.problemStatement.trim() : (view.taskPrompt ?? '')
  return problem && !view.title.includes(problem) ? `${view.title}\n${problem}` : view.title
}

/**
 * The people whose turn it is, by their own names, or what the process waits for before the next turn; "" if an agent
 * has a turn too.
 */
function waitsFor({ realm: r }: Model, v: ConversationView): string {
  if (r === null || v.conversationId !== r.world.processState.conversationId) return ''
  const asked = asks(r)
  if (!v.activeRuns.every((run) => asked.some((a) => a.requestId === run.requestId))) return ''
  const names = asked.map((a) => casting(r, a.roleId)?.name || nameOf(r, a.roleId))
  const { waiting } = r.world.processState
  return join([...new Set(names)]) || (waiting ? processWords.waitsFor[waiting.code] : '')
}

export const process: Kind = {
  name: NAME,
  label: () => ({ id: NAME, word: processWords.name }),
  isMyTurn: (m, v) => myAsks(m).some((a) => a.conversationId === v.conversationId),
  waitsFor,
  fullTitle,
  buttonsBesideTitle: true,
  staged: true,
  showsTask: false,
  statusLine: () => '',
  controls,
  canRename: false,
  empty: () => processWords.emptyTranscript,
  showsWork: () => false,
  // A person speaks under a name of their own. The role of the turn stands beside it, whoever holds the role now.
  row: (m, text, { member }) => ({
    text,
    chips: [],
    as: m.role === 'user' ? (member?.name ?? '') : '',
  }),
  endLine: () => '',
  canWrite: () => false,
  RowsEnd: AfterProcess,
  HeadTools: ProcessTools,
}
