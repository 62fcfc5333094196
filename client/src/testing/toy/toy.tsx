// A kind of conversation that no server has: with this file, its words and one registration the page can begin it,
// show its state, label its rows and offer its controls.
import type { ConversationView } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { InView, Kind, StartProps } from '../../kinds/kind'
import { toyWords } from './words'

const NAME = 'riddle'

const guesses = (v: ConversationView) => (v.plan as { guesses?: number }).guesses ?? 0

function Start({ choice, onDone }: StartProps) {
  const app = useApp()
  const begin = () => {
    app.talks.start({ kind: NAME, memberIds: [] })
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

const Left = ({ view }: InView) => <p data-testid="toy-left">{toyWords.guesses(guesses(view))}</p>

export const toy: Kind = {
  name: NAME,
  called: () => ({ id: NAME, word: toyWords.name }),
  begins: [{ id: NAME, word: toyWords.beginWord, title: toyWords.beginTitle, needsAgent: false, Form: Start }],
  asks: (m, v) => m.me !== null && guesses(v) > 0,
  controls: ({ view: { conversationId } }) => [
    {
      testid: 'toy-give-up',
      label: toyWords.giveUp,
      look: 'ghost',
      frame: { type: 'conversation.abort', conversationId },
    },
  ],
  empty: () => toyWords.begins,
  row: (_, text) => ({ text: text.toUpperCase(), chips: [{ text: toyWords.name }], as: '', place: false }),
  speaks: ({ view }) => guesses(view) > 0,
  useComposer: () => ({ asked: true, placeholder: toyWords.say }),
  HeadMore: Left,
}
