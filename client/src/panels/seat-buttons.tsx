// The buttons that take and free a role, for hosts, until the process is completed.
import type { CommandFrame } from '../net/outbox'
import type { RealmModel } from '../state/model'
import type { Seat } from '../state/roster'
import { words } from '../words'
import { useApp } from './context'
import { useSelect } from './use-select'

export function SeatButtons({ seat: s, realm }: { seat: Seat; realm: RealmModel }) {
  const app = useApp()
  const over = useSelect(() => realm.world.processState.status === 'completed', [realm])
  const asking = waitsFor(
    app.pending.value.filter((p) => p.status !== 'refused').map((p) => p.frame),
    s,
  )
  if (!app.host.value || over) return null
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
      {s.casting.kind === 'agent' && (
        <button
          type="button"
          class="link"
          data-testid={`take-role-${s.role.id}`}
          disabled={asking}
          title={words.roster.takeFrom}
          onClick={() => app.send({ type: 'process:take-role', roleId: s.role.id })}
        >
          {words.roster.takeFrom}
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

/** Whether a command for this role is pending. */
function waitsFor(frames: readonly CommandFrame[], s: Seat): boolean {
  return frames.some(
    (f) =>
      (f.type === 'process:take-role' && f.roleId === s.role.id) ||
      (f.type === 'player:dismiss-agent' && f.agentId === s.casting.memberId),
  )
}
