// The kind chat: one person and one agent. The next message resumes an abandoned chat.
import type { ConversationView } from '../../net/protocol.gen'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { ended } from '../default'
import type { ComposerInput, Control, ConversationProps, Kind } from '../kind'
import { AboutStage } from './about-stage'
import { splitAnswer } from '../../state/next-questions'
import { NextQuestions } from './next-questions'
import { ChatStart } from './start'
import { CHAT, retryableRun } from './state'
import { openChat } from './open-chat'
import { chatWords } from './words'

function controls({ view }: ConversationProps): Control[] {
  if (isOver(view.status)) return []
  const { conversationId } = view
  return [
    {
      testid: 'talk-close',
      label: chatWords.closeIt,
      hint: chatWords.close,
      look: 'ghost',
      frame: { type: 'conversation.close', conversationId },
    },
  ]
}

const wasLeft = (v: { status: ConversationView['status'] }) => v.status === 'abandoned'

function useChatComposer({ view }: ComposerInput) {
  const agent = view.team.members.find((m) => m.type === 'agent')
  return {
    asked: false,
    placeholder: agent ? chatWords.say(agent.displayName || agent.name) : words.conversation.sayAll,
  }
}

export const chat: Kind = {
  name: CHAT,
  label: () => ({ id: CHAT, word: chatWords.name }),
  statusWord: (c) => (wasLeft(c) ? chatWords.left : words.conversation.status[c.status]),
  listStatus: (c) => (c.status === 'active' ? '' : wasLeft(c) ? chatWords.left : words.conversation.status[c.status]),
  startOptions: [
    {
      id: CHAT,
      word: chatWords.startWord,
      first: true,
      needsAgent: true,
      Form: ChatStart,
      withAgent: { testid: 'hero-talk', label: chatWords.talk, rank: 0, act: (app, id) => openChat(app, id) },
    },
  ],
  buttonsBesideTitle: true,
  controls,
  empty: () => chatWords.emptyTranscript,
  retryableRun,
  stopHint: chatWords.stopHint,
  endLine: (v) => (wasLeft(v) ? chatWords.takeUp : ended(v)),
  canWrite: ({ view }) => !isOver(view.status) || wasLeft(view),
  useComposer: useChatComposer,
  row: (m, text) => ({
    text: m.role === 'assistant' ? splitAnswer(text).text : text,
    chips: [],
    as: '',
  }),
  RowsEnd: NextQuestions,
  ArtifactLink: AboutStage,
}
