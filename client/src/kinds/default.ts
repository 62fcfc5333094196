// The default presentation of a conversation. It serves kinds that the page does not know, and fills in what a kind
// leaves out.
import type { Conversation, ConversationView } from '../net/protocol.gen'
import { memberName, memberOf } from '../state/conversations'
import type { Model } from '../state/model'
import { isOver } from '../state/views'
import { join, title, words } from '../words'
import type { ComposerParts, ComposerInput, ConversationProps, Kind } from './kind'

function label(c: Conversation) {
  return { id: c.kind, word: title(c.kind) }
}

function statusLine({ view }: ConversationProps): string {
  const w = words.conversation
  switch (view.status) {
    case 'queued':
      return view.reason ?? w.queued
    case 'paused':
      return view.plan.waiting?.message || view.reason || w.paused
    case 'interrupted':
      return view.reason ?? w.interrupted
    case 'failed':
      return view.reason ?? ''
    case 'completed':
    case 'abandoned':
      return ''
    default:
      return view.plan.waiting?.message ?? ''
  }
}

/** The people whose turn it is; "" if an agent has a turn too. */
function waitsFor({ realm }: Model, v: ConversationView): string {
  const person = (id: string) => memberOf(v, id)?.type === 'human'
  if (realm === null || !v.activeRuns.every((r) => person(r.memberId))) return ''
  return join(v.activeRuns.map((r) => memberName(realm, v, r.memberId)))
}

function useComposer(_: ComposerInput): ComposerParts {
  return { asked: false, placeholder: words.conversation.sayAll }
}

/** The line under the rows of a conversation that says that it has ended; "" while it has not ended. */
export function ended(v: ConversationView): string {
  return isOver(v.status) ? words.conversation.ended[v.status] : ''
}

export const standard = {
  name: '',
  label,
  statusWord: (c: Conversation) => words.conversation.status[c.status],
  listStatus: (c: Conversation) => words.conversation.status[c.status],
  listNote: () => '',
  isMyTurn: () => false,
  waits: { mark: 'reading', word: words.conversation.asked },
  waitsFor,
  isRunning: () => false,
  isLive: () => false,
  startOptions: [],
  buttonsBesideTitle: false,
  staged: false,
  headStatus: ({ view }: ConversationProps) => words.conversation.status[view.status],
  fullTitle: ({ view }: ConversationProps) => view.title,
  showsMembers: () => true,
  facts: () => [],
  showsTask: true,
  statusLine,
  controls: () => [],
  canRename: true,
  eraseNote: '',
  empty: () => '',
  showsWork: () => true,
  retryableRun: () => null,
  stopHint: words.conversation.stopHint,
  endLine: ended,
  canWrite: () => false,
  hasBox: () => false,
  row: (_: unknown, text: string) => ({ text, chips: [], as: '' }),
  toolBrief: (input: string) => input,
  choices: (_: unknown, ids: readonly string[]) => ids.join(', '),
  useComposer,
} satisfies Kind
