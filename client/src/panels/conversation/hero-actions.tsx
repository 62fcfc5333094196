// The buttons that start a conversation with an agent, on the map's card and in the roster (S0-B21).
import { startOptions } from '../../kinds/kinds'
import { playedAgents } from '../../state/conversations'
import { useApp } from '../context'

/** Renders nothing for a person who is not a host, and for a member that no driver plays. */
export function HeroActions({ id, onDone }: { id: string; onDone?: () => void }) {
  // In a menu, which passes onDone, the buttons are menu items.
  const role = onDone ? ('menuitem' as const) : undefined
  const app = useApp()
  const { realm } = app.model
  if (!realm || !app.host.value || !playedAgents(app.model).some((a) => a.id === id)) return null
  const ways = startOptions()
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
