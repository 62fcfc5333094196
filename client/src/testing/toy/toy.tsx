// A kind that no server has. kinds.test.tsx shows that this file, its words and one registration are enough for the
// page to start conversations of a new kind, show their state, label their rows and offer their controls.
import type { ConversationView } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { ConversationProps, Kind, StartProps } from '../../kinds/kind'
import { toyWords } from './words'

const NAME = 'riddle'

const guesses = (v: ConversationView) => (v.plan as { guesses?: number }).guesses ?? 0

function Start({ choice, onDone }: StartProps) {
  const app = useApp()
  const begin = () => {
    app.conversations.start({ kind: NAME, memberIds: [] })
    onDone()
  }
  return (
    <div class="fields">
      {choice}
      <button type="button" data-testid="toy-go" onClick={begin}>
        {toyWords.go}
      </button>
    </div>
  )
}

const Left = ({ view }: ConversationProps) => <p data-testid="toy-left">{toyWords.guesses(guesses(view))}</p>

export const toy: Kind = {
  name: NAME,
  label: () => ({ id: NAME, word: toyWords.name }),
  startOptions: [{ id: NAME, word: toyWords.startWord, needsAgent: false, Form: Start }],
  isMyTurn: (m, v) => m.me !== null && guesses(v) > 0,
  controls: ({ view: { conversationId } }) => [
    {
      testid: 'toy-give-up',
      label: toyWords.giveUp,
      look: 'ghost',
      frame: { type: 'conversation.abort', conversationId },
    },
  ],
  empty: () => toyWords.emptyTranscript,
  row: (_, text) => ({ text: text.toUpperCase(), chips: [{ text: toyWords.name }], as: '' }),
  canWrite: ({ view }) => guesses(view) > 0,
  useComposer: () => ({ asked: true, placeholder: toyWords.say }),
  HeadMore: Left,
}
