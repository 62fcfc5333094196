// Below the head of a party: who is asked next, and what the team works on.
import type { InView } from '../kind'
import { inOrder, isAtHand } from './state'
import { partyWords } from './words'
import { Asked } from './asked'
import { Task } from './task'

/** Of the queue this many are named. */
const MOST_ASKED = 5

export function PartyHead({ view, realm }: InView) {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return null
  const queue = inOrder(p)
  const first = queue.slice(0, MOST_ASKED)
  return (
    <div
      class="party-head"
      data-testid="party"
      data-status={p.status}
      data-waiting={p.waitingFor}
      data-executing={p.executing?.target ?? ''}
    >
      {first.length > 0 && (
        <div class="party-queue" role="group" aria-label={partyWords.next} data-testid="party-queue">
          <span class="quiet" aria-hidden="true">
            {partyWords.next}
          </span>
          {first.map((item) => (
            <Asked key={item.n} item={item} view={view} realm={realm} />
          ))}
          {queue.length > first.length && <span class="quiet">{partyWords.more(queue.length - first.length)}</span>}
        </div>
      )}
      {p.teamTask && <Task text={p.teamTask} />}
    </div>
  )
}
