// A chat: a person and an agent talk. One that was left is taken up by the next message.
import type { ConversationView } from '../../net/protocol.gen'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { ended } from '../default'
import type { ComposerUse, Control, InView, Kind } from '../kind'
import { AboutStage } from './about-stage'
import { ChatStart } from './start'
import { CHAT, cutOff } from './state'
import { talkTo } from './talk-to'
import { chatWords } from './words'

function controls({ view }: InView): Control[] {
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

function useChatComposer({ view }: ComposerUse) {
  const agent = view.team.members.find((m) => m.type === 'agent')
  return {
    asked: false,
    placeholder: agent ? chatWords.say(agent.displayName || agent.name) : words.chats.sayAll,
  }
}

export const chat: Kind = {
  name: CHAT,
  called: () => ({ id: CHAT, word: chatWords.name }),
  statusWord: (c) => (wasLeft(c) ? chatWords.left : words.chats.status[c.status]),
  listStatus: (c) => (c.status === 'active' ? '' : wasLeft(c) ? chatWords.left : words.chats.status[c.status]),
  begins: [
    {
      id: CHAT,
      word: chatWords.beginWord,
      title: chatWords.beginTitle,
      needsAgent: true,
      Form: ChatStart,
      withAgent: { testid: 'hero-talk', label: chatWords.talk, rank: 0, act: (app, id) => talkTo(app, id) },
    },
  ],
  inline: true,
  controls,
  empty: () => chatWords.begins,
  cutOff,
  stopHint: chatWords.stopHint,
  overLine: (v) => (wasLeft(v) ? chatWords.takeUp : ended(v)),
  speaks: ({ view }) => !isOver(view.status) || wasLeft(view),
  useComposer: useChatComposer,
  OfArtifact: AboutStage,
}
