// The buttons by which a host takes an open role until the process is completed, or frees a role that a person holds.
// A role that an agent holds is taken over in the agent's menu. A question comes first if the person has the turn.
import { useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import type { Seat } from '../state/roster'
import { words } from '../words'
import { Confirm } from './confirm'
import { useApp } from './context'
import { takeRole } from './take-role'
import { useSeatWaits } from './use-seat-waits'
import { useSelect } from './use-select'

export function SeatButtons({ seat: s, realm }: { seat: Seat; realm: RealmModel }) {
  const app = useApp()
  const over = useSelect(() => realm.world.processState.status === 'completed', [realm])
  const waits = useSeatWaits(s)
  const [asking, setAsking] = useState(false)
  if (!app.host.value || s.casting.kind === 'agent' || (over && s.casting.kind === 'open')) return null
  const free = () => {
    setAsking(false)
    app.send({ type: 'player:dismiss-agent', agentId: s.casting.memberId })
  }
  const w = words.roster
  return (
    <span class="seat-buttons">
      {s.casting.kind === 'open' && (
        <button
          type="button"
          class={s.acts ? 'small primary' : 'small ghost'}
          data-testid={`take-role-${s.role.id}`}
          disabled={waits}
          onClick={() => takeRole(app, s.role.id)}
        >
          {w.take}
        </button>
      )}
      {s.casting.kind === 'human' && (
        <button
          type="button"
          class="small ghost"
          data-testid={`free-role-${s.role.id}`}
          disabled={waits}
          onClick={() => (s.doing === 'asked' ? setAsking(true) : free())}
        >
          {s.mine ? w.leave : w.free}
        </button>
      )}
      {asking && (
        <Confirm
          title={s.mine ? w.leaveAsk(s.name) : w.freeAsk(s.name)}
          text={s.mine ? w.leaveText : w.freeText(s.casting.name || words.note.somebody)}
          yes={s.mine ? w.leave : w.free}
          no={w.keep}
          onYes={free}
          onNo={() => setAsking(false)}
        />
      )}
    </span>
  )
}
