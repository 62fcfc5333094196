// A forge: the smith asks, a person answers, and a skill comes out of it. One that was left is taken up by a message.
import type { Conversation } from '../../net/protocol.gen'
import { isOver } from '../../state/views'
import { words } from '../../words'
import { ended } from '../default'
import type { Control, InView, Kind } from '../kind'
import { NAME } from './begin'
import { choiceText } from './choice'
import { useForgeComposer } from './composer'
import { ForgeDone } from './done'
import { ForgeHead } from './head'
import { OpenSkill } from './open-skill'
import { Skills } from './skills'
import { ForgeStart } from './start'
import { ForgeWorking } from './working'
import { forgeWords } from './words'

const wasLeft = (c: Conversation) => c.status === 'abandoned'
const statusWord = (c: Conversation) => (wasLeft(c) ? forgeWords.left : words.chats.status[c.status])

function controls({ view }: InView): Control[] {
  if (isOver(view.status)) return []
  const w = words.chats
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
  called: () => ({ id: NAME, word: forgeWords.name }),
  statusWord,
  listStatus: (c) => (c.status === 'active' ? '' : statusWord(c)),
  begins: [
    {
      id: NAME,
      word: forgeWords.beginWord,
      title: forgeWords.beginTitle,
      needsAgent: false,
      Form: ForgeStart,
    },
  ],
  inline: true,
  controls,
  eraseNote: forgeWords.eraseNote,
  empty: () => forgeWords.begins,
  saysWork: (v) => !v.plan.forge?.working,
  overLine: (v) => (wasLeft(v) ? forgeWords.takeUp : v.status === 'completed' ? '' : ended(v)),
  speaks: ({ view }) => !isOver(view.status) || wasLeft(view),
  choices: choiceText,
  useComposer: useForgeComposer,
  HeadMore: ForgeHead,
  Work: ForgeWorking,
  After: ForgeDone,
  Products: Skills,
  Over: OpenSkill,
}
