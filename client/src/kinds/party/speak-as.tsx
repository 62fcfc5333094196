// The select of the member to speak as, for teams with several people.
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import type { ConversationProps } from '../kind'
import { humans, speakingAs } from './state'
import { partyWords } from './words'

export function SpeakAs({ view, realm }: ConversationProps) {
  const app = useApp()
  const me = app.model.me?.spectatorId
  const people = humans(view.team)
  if (people.length < 2) return null
  const now = speakingAs(app.model, view)
  const asked = app.pending.value.some((p) => p.frame.type === 'team:take-member' && p.status !== 'refused')
  const here = new Map(app.model.spectators.list.map((s) => [s.spectatorId, s.name]))
  /** The name of another person who speaks as the member and watches the realm; "" if there is none. */
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
