// The kind process: people and agents go through stages. The page's text box, stage bar and roster already serve the
// process, so its transcript has no composer and no "at work" line.
import { words } from '../../words'
import type { Control, ConversationProps, Kind } from '../kind'
import { AfterProcess } from './after'
import { StagePick } from './stage-pick'
import { processWords } from './words'

const NAME = 'process'

function controls({ view, realm }: ConversationProps): Control[] {
  const p = realm.world.processState
  if (view.conversationId !== p.conversationId || p.status !== 'running' || p.pausing) return []
  return [
    {
      testid: 'talk-pause',
      label: words.conversation.pause,
      look: 'plain',
      frame: { type: 'player:command', text: '/pause' },
    },
  ]
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
