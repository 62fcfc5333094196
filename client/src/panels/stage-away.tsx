// The people who have a turn and are not connected. A host can pass the turn, or free the role for somebody else.
import type { RealmModel } from '../state/model'
import { awayWithTurn } from '../state/people'
import { asks, casting, nameOf } from '../state/select'
import { clock, words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'
import { useSelect } from './use-select'

interface Props {
  realm: RealmModel
  command: (text: string) => void
}

export function StageAway({ realm, command }: Props) {
  const app = useApp()
  const away = useSelect(() => awayWithTurn(app.model, realm), [app, realm])
  const others = useSelect(() => asks(realm).length > awayWithTurn(app.model, realm).length, [app, realm])
  const w = words.stage
  return (
    <>
      {away.map(({ roleId, name, since }) => (
        <div
          key={roleId}
          class={`needs needs-waiting needs-away${others ? ' needs-partly' : ''}`}
          data-testid="away"
          data-role={roleId}
          role="status"
        >
          <p>
            <StateMark state="interrupted" />
            <span>
              <strong>{w.away(name, since && clock(since))}</strong>{' '}
              <span class="quiet">{w.awayAs(nameOf(realm, roleId))}</span>
            </span>
          </p>
          {app.host.value && (
            <div class="buttons">
              <button type="button" data-testid="away-skip" onClick={() => command(`/skip ${roleId}`)}>
                {w.skip}
              </button>
              <button
                type="button"
                data-testid="away-free"
                onClick={() =>
                  app.send({ type: 'player:dismiss-agent', agentId: casting(realm, roleId)?.memberId ?? roleId })
                }
              >
                {words.roster.free}
              </button>
            </div>
          )}
        </div>
      ))}
    </>
  )
}
