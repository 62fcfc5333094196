// What a person can begin with an agent, where the agent is: on its card on the map
// and in the roster (S0-B21).
import { beginnings } from '../../kinds/kinds'
import { playable } from '../../state/talks'
import { useApp } from '../context'

/** The buttons, in a row. Nothing for who may not, and for members that nothing plays. */
export function HeroActions({ id, onDone }: { id: string; onDone?: () => void }) {
  // In a menu they are its items.
  const role = onDone ? ('menuitem' as const) : undefined
  const app = useApp()
  const { realm } = app.model
  if (!realm || !app.host.value || !playable(app.model).some((a) => a.id === id)) return null
  const ways = beginnings()
    .flatMap((b) => b.withAgent ?? [])
    .sort((a, b) => a.rank - b.rank)
  const act = (what: () => void) => () => {
    what()
    onDone?.()
  }
  return (
    <>
      {ways.map(({ testid, label, act: begin }) => (
        <button
          key={testid}
          type="button"
          class="small"
          role={role}
          data-testid={testid}
          onClick={act(() => begin(app, id))}
        >
          {label}
        </button>
      ))}
    </>
  )
}
