// Over the place to write in a party: as whom one speaks, and the chips that ask somebody.
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import { Shield } from '../../panels/shield'
import { memberName } from '../../state/talks'
import type { InView } from '../kind'
import { addressOf, asks, toggleAsked } from './marks-said'
import { voice } from './state'
import { partyWords } from './words'
import { SpeakAs } from './speak-as'

/** As whom one speaks, and a chip for each other member: it writes into the message that this one speaks next. */
export function PartyVoices({ view, realm, text, onText }: InView & { text: string; onText: (next: string) => void }) {
  const app = useApp()
  const self = voice(app.model, view)
  const others = view.team.members.filter((m) => m.id !== self)
  return (
    <div class="party-voices">
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
              aria-pressed={asks(text, address)}
              aria-label={partyWords.askOne(name)}
              title={partyWords.askHint(name)}
              data-testid={`ask-${m.id}`}
              onClick={() => onText(toggleAsked(text, address))}
            >
              <Shield id={m.id} name={name} color={m.color} />
              <span class="chip-name">{plainName(name)}</span>
            </button>
          )
        })}
      </div>
    </div>
  )
}
