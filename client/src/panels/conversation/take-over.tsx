// The menu item by which a host takes an agent's role and plays it, until the process is completed.
import { seatOfAgent } from '../../state/roster'
import { words } from '../../words'
import { useApp } from '../context'
import { takeRole } from '../take-role'
import { useSeatWaits } from '../use-seat-waits'
import { useSelect } from '../use-select'

/** Renders nothing for an agent without a role. */
export function TakeOver({ id, onDone }: { id: string; onDone: () => void }) {
  const app = useApp()
  const seat = useSelect(() => seatOfAgent(app.model, id), [app, id])
  const waits = useSeatWaits(seat)
  if (!seat) return null
  return (
    <button
      type="button"
      class="small"
      role="menuitem"
      data-testid={`take-role-${seat.role.id}`}
      disabled={waits}
      onClick={() => {
        onDone()
        takeRole(app, seat.role.id)
      }}
    >
      {words.roster.takeFrom}
    </button>
  )
}
