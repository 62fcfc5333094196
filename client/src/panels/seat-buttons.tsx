// The buttons by which a host takes an open role, or frees a role that a person holds, until the process is completed.
// A role that an agent holds is taken over in the agent's menu.
import type { RealmModel } from '../state/model'
import type { Seat } from '../state/roster'
import { words } from '../words'
import { useApp } from './context'
import { useSeatWaits } from './use-seat-waits'
import { useSelect } from './use-select'

export function SeatButtons({ seat: s, realm }: { seat: Seat; realm: RealmModel }) {
  const app = useApp()
  const over = useSelect(() => realm.world.processState.status === 'completed', [realm])
  const asking = useSeatWaits(s)
  if (!app.host.value || over || s.casting.kind === 'agent') return null
  return (
    <span class="seat-buttons">
      {s.casting.kind === 'open' && (
        <button
          type="button"
          class={s.acts ? 'small primary' : 'small ghost'}
          data-testid={`take-role-${s.role.id}`}
          disabled={asking}
          onClick={() => app.send({ type: 'process:take-role', roleId: s.role.id })}
        >
          {words.roster.take}
        </button>
      )}
      {s.casting.kind === 'human' && (
        <button
          type="button"
          class="link"
          data-testid={`free-role-${s.role.id}`}
          disabled={asking}
          onClick={() => app.send({ type: 'player:dismiss-agent', agentId: s.casting.memberId })}
        >
          {s.mine ? words.roster.leave : words.roster.free}
        </button>
      )}
    </span>
  )
}
