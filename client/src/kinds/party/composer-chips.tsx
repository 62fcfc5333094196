// Above the composer of a party: the choice of the member to speak as, and a chip for each other member. A chip adds
// the member to the message's [NEXT: ...] marker. It is also pressed while the message speaks to the member by name.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { isTouchDevice } from '../../panels/grow'
import { plainName } from '../../panels/plain-name'
import { Shield } from '../../panels/shield'
import { memberName } from '../../state/conversations'
import type { ComposerInput, ConversationProps } from '../kind'
import { addressOf, endOfWords, hasNext, spokenTo, toggleNext } from './markers'
import { speakingAs } from './state'
import { partyWords } from './words'
import { SpeakAs } from './speak-as'

type Props = ConversationProps & Pick<ComposerInput, 'text' | 'form'> & { onText: (next: string) => void }

export function ComposerChips({ view, realm, text, form, onText }: Props) {
  const app = useApp()
  const write = useFocusAfter(form, text, onText)
  const self = speakingAs(app.model, view)
  const others = view.team.members.filter((m) => m.id !== self)
  const spoken = spokenTo(text, others)
  return (
    <div class="party-composer-chips">
      <SpeakAs view={view} realm={realm} />
      <div class="ask-chips" role="group" aria-label={partyWords.askWhom}>
        <span class="quiet" aria-hidden="true">
          {partyWords.ask}
        </span>
        {others.map((m) => {
          const name = memberName(realm, view, m.id)
          const address = addressOf(m, view.team.members)
          return (
            <button
              key={m.id}
              type="button"
              class="chip-button"
              aria-pressed={hasNext(text, address) || spoken.includes(m)}
              title={partyWords.askHint(name)}
              data-testid={`ask-${m.id}`}
              onClick={() => write(toggleNext(text, address))}
            >
              <Shield id={m.id} name={name} color={m.color} />
              <span class="visually-hidden">{partyWords.ask}</span>
              <span class="chip-name">{plainName(name)}</span>
            </button>
          )
        })}
      </div>
    </div>
  )
}

/**
 * Returns onText for a click: once the text is drawn, the text box has the focus, with the cursor before the markers.
 * Not on a touch device, where the focus would open a keyboard over the conversation.
 */
function useFocusAfter(form: ComposerInput['form'], text: string, onText: (next: string) => void) {
  const clicked = useRef(false)
  useLayoutEffect(() => {
    const area = form.current?.querySelector('textarea')
    if (!clicked.current || !area) return
    clicked.current = false
    if (isTouchDevice()) return
    area.focus()
    area.setSelectionRange(endOfWords(text), endOfWords(text))
  }, [form, text])
  return (next: string) => {
    clicked.current = true
    onText(next)
  }
}
