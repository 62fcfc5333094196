// Below the head of a party: the queue, and the team's task.
import type { ConversationProps } from '../kind'
import { queueInOrder, isCurrent } from './state'
import { partyWords } from './words'
import { QueueItem } from './queue-item'
import { Task } from './task'

/** The maximum number of queue entries that are shown. Of further entries only the number is shown. */
const MAX_ASKED = 5

export function PartyHead({ view, realm }: ConversationProps) {
  const p = realm.world.party
  if (!isCurrent({ view, realm })) return null
  const queue = queueInOrder(p)
  const first = queue.slice(0, MAX_ASKED)
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
            <QueueItem key={item.n} item={item} view={view} realm={realm} />
          ))}
          {queue.length > first.length && <span class="quiet">{partyWords.more(queue.length - first.length)}</span>}
        </div>
      )}
      {p.teamTask && <Task text={p.teamTask} />}
    </div>
  )
}
