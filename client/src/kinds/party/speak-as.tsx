// "As Ada": in a team of several people another may be chosen; in others the place to write says it.
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import type { InView } from '../kind'
import { humans, voice } from './state'
import { partyWords } from './words'

export function SpeakAs({ view, realm }: InView) {
  const app = useApp()
  const me = app.model.me?.spectatorId
  const people = humans(view.team)
  if (people.length < 2) return null
  const now = voice(app.model, view)
  const asked = app.pending.value.some((p) => p.frame.type === 'team:take-member' && p.status !== 'refused')
  const here = new Map(app.model.spectators.list.map((s) => [s.spectatorId, s.name]))
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
