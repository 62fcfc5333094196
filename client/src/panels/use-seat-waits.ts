// Whether a command that takes or frees a role of the process is pending.
import type { CommandFrame } from '../net/outbox'
import type { Seat } from '../state/roster'
import { useApp } from './context'

/** seat: null for no role; the result is then false. */
export function useSeatWaits(seat: Seat | null): boolean {
  const { pending } = useApp()
  return seat !== null && pending.value.some((p) => p.status !== 'refused' && concerns(p.frame, seat))
}

function concerns(f: CommandFrame, s: Seat): boolean {
  return (
    (f.type === 'process:take-role' && f.roleId === s.role.id) ||
    (f.type === 'player:dismiss-agent' && f.agentId === s.casting.memberId)
  )
}
