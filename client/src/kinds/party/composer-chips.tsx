// Above the composer of a party: the choice of the member to speak as, and a chip for each other member. A chip adds
// the member to the message's [NEXT: ...] marker.
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import { Shield } from '../../panels/shield'
import { memberName } from '../../state/conversations'
import type { ConversationProps } from '../kind'
import { addressOf, hasNext, toggleNext } from './markers'
import { speakingAs } from './state'
import { partyWords } from './words'
import { SpeakAs } from './speak-as'

export function ComposerChips({
  view,
  realm,
  text,
  onText,
}: ConversationProps & { text: string; onText: (next: string) => void }) {
  const app = useApp()
  const self = speakingAs(app.model, view)
  const others = view.team.members.filter((m) => m.id !== self)
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
              aria-pressed={hasNext(text, address)}
              title={partyWords.askHint(name)}
              data-testid={`ask-${m.id}`}
              onClick={() => onText(toggleNext(text, address))}
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
