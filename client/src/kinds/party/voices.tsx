// Over the place to write in a party: as whom one speaks, and the chips that ask somebody.
import { useApp } from '../../panels/context'
import { plainName, Shield } from '../../panels/marks'
import { memberName } from '../../state/talks'
import type { InView } from '../kind'
import { addressOf, asks, toggleAsked } from './marks-said'
import { humans, voice } from './state'
import { partyWords } from './words'

/** As whom one speaks, and a chip for each other member: it writes into the message that this one speaks next. */
export function PartyVoices({ view, realm, text, onText }: InView & { text: string; onText: (next: string) => void }) {
  const app = useApp()
  const self = voice(app.model.value, view)
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

/** "As Ada": in a team of several people another may be chosen; in others the place to write says it. */
function SpeakAs({ view, realm }: InView) {
  const app = useApp()
  const me = app.model.value.me?.spectatorId
  const people = humans(view.team)
  if (people.length < 2) return null
  const now = voice(app.model.value, view)
  const asked = app.pending.value.some((p) => p.frame.type === 'team:take-member' && p.status !== 'refused')
  const here = new Map(app.model.value.spectators.list.map((s) => [s.spectatorId, s.name]))
  /** Who else has the place and is here; "" for nobody. */
  const holder = (id: string) =>
    realm.world.party.seats
      .filter((s) => s.memberId === id && s.spectatorId !== me)
      .map((s) => here.get(s.spectatorId) ?? '')[0] ?? ''
  return (
    <label class="party-voice quiet" data-testid="party-voice" data-member={now}>
      {partyWords.speakAs}
      <select
        data-testid="party-speak-as"
        aria-label={partyWords.speakHint}
        title={partyWords.speakHint}
        disabled={asked}
        value={now}
        onChange={(e) =>
          app.send({ type: 'team:take-member', ...(e.currentTarget.value ? { memberId: e.currentTarget.value } : {}) })
        }
      >
        {now === '' && <option value="">{partyWords.speakFree}</option>}
        {people.map((x) => {
          const name = plainName(x.displayName || x.name)
          return (
            <option key={x.id} value={x.id} disabled={holder(x.id) !== ''}>
              {holder(x.id) ? partyWords.held(name, holder(x.id)) : name}
            </option>
          )
        })}
      </select>
    </label>
  )
}
