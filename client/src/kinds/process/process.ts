// The kind process: people and agents go through stages. The page's text box, stage bar and roster already serve the
// process, so its transcript has no composer and no "at work" line.
import { hasProcess } from '../../state/select'
import { words } from '../../words'
import type { Control, ConversationProps, Kind } from '../kind'
import { AfterProcess } from './after'
import { StagePick } from './stage-pick'
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

export const process: Kind = {
  name: NAME,
  label: () => ({ id: NAME, word: processWords.name }),
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
    asMember: false,
  }),
  endLine: () => '',
  canWrite: () => false,
  RowsEnd: AfterProcess,
  HeadTools: StagePick,
}
