// Above the composer of a party: the choice of the member to speak as, and a chip for each other member. A chip adds
// the member to the message's [NEXT: ...] marker. It is also pressed while the message speaks by name to the member, or
// to the person who speaks as the member. People who share the member of the person at this page have a chip only while
// the message speaks to them.
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { isTouchDevice } from '../../panels/grow'
import { plainName } from '../../panels/plain-name'
import { Shield } from '../../panels/shield'
import { memberName } from '../../state/conversations'
import type { ComposerInput, ConversationProps } from '../kind'
import { addressOf, askedAs, endOfWords, hasNext, spokenTo, toggleNext } from './markers'
import { others, speakers, speakingAs } from './state'
import { partyWords } from './words'
import { SpeakAs } from './speak-as'

type Props = ConversationProps & Pick<ComposerInput, 'text' | 'form'> & { onText: (next: string) => void }

export function ComposerChips({ view, realm, text, form, onText }: Props) {
  const app = useApp()
  const write = useFocusAfter(form, text, onText)
  const self = speakingAs(app.model, view)
  const spoken = spokenTo(text, others(app.model, { view, realm }))
  const people = speakers(app.model, { view, realm })
  return (
    <div class="party-composer-chips">
      <SpeakAs view={view} realm={realm} />
      <div class="ask-chips" role="group" aria-label={partyWords.askWhom}>
        <span class="quiet" aria-hidden="true">
          {partyWords.ask}
        </span>
        {spoken
          .filter((s) => askedAs(s) === self)
          .map((s) => (
            <span key={s.id} class="chip-button chip-asked" data-testid={`ask-${s.id}`}>
              <Shield id={s.id} name={s.name} color={people.find((x) => x.id === s.id)?.color} />
              <span class="visually-hidden">{partyWords.ask}</span>
              <span class="chip-name">{plainName(s.name)}</span>
            </span>
          ))}
        {view.team.members.map((m) => {
          if (m.id === self) return null
          const holder = people.find((x) => askedAs(x) === m.id)?.name
          const member = memberName(realm, view, m.id)
          const name = holder ? partyWords.held(member, holder) : member
          const address = addressOf(m, view.team.members)
          return (
            <button
              key={m.id}
              type="button"
              class="chip-button"
              aria-pressed={hasNext(text, address) || spoken.some((s) => askedAs(s) === m.id)}
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
