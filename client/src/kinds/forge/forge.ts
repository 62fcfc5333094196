// The kind forge: the smith asks, a person answers, and the result is a skill. A message resumes an abandoned forge.
import type { Conversation } from '../../net/protocol.gen'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { ended } from '../default'
import type { Control, ConversationProps, Kind } from '../kind'
import { NAME } from './start-forge'
import { choiceText } from './choice'
import { useForgeComposer } from './composer'
import { ForgeDone } from './done'
import { ForgeHead } from './head'
import { OpenSkill } from './open-skill'
import { Skills } from './skills'
import { isForging } from './state'
import { ForgeStart } from './start'
import { ForgeWorking } from './working'
import { forgeWords } from './words'

const wasLeft = (c: Conversation) => c.status === 'abandoned'
const statusWord = (c: Conversation) => (wasLeft(c) ? forgeWords.left : words.conversation.status[c.status])

function controls({ view }: ConversationProps): Control[] {
  if (isOver(view.status)) return []
  const w = words.conversation
  return [
    {
      testid: 'talk-abort',
      label: w.abort,
      look: 'ghost',
      frame: { type: 'conversation.abort', conversationId: view.conversationId },
      confirm: { title: w.abortAsk(view.title), text: forgeWords.abortText, yes: w.abortYes },
    },
  ]
}

export const forge: Kind = {
  name: NAME,
  label: () => ({ id: NAME, word: forgeWords.name }),
  statusWord,
  listStatus: (c) => (c.status === 'active' ? '' : statusWord(c)),
  waitsFor: (_, v) => (v.plan.forge?.question && !isForging(v) ? forgeWords.answer : ''),
  startOptions: [
    {
      id: NAME,
      word: forgeWords.startWord,
      needsAgent: false,
      Form: ForgeStart,
    },
  ],
  buttonsBesideTitle: true,
  controls,
  eraseNote: forgeWords.eraseNote,
  empty: () => forgeWords.emptyTranscript,
  showsWork: (v) => !v.plan.forge?.working,
  endLine: (v) => (wasLeft(v) ? forgeWords.takeUp : v.status === 'completed' ? '' : ended(v)),
  canWrite: ({ view }) => !isOver(view.status) || wasLeft(view),
  ownFiles: true,
  choices: choiceText,
  useComposer: useForgeComposer,
  HeadMore: ForgeHead,
  Work: ForgeWorking,
  RowsEnd: ForgeDone,
  Products: Skills,
  Overlay: OpenSkill,
}
