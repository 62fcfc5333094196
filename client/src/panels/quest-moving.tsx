// The status of a quest's pending command, or why it was refused.
import type { Pending } from '../net/outbox'
import { words } from '../words'
import { useApp } from './context'
import { pendingText } from './pending-text'

export function QuestMoving({ moving }: { moving: Pending }) {
  const app = useApp()
  const busy = moving.status !== 'refused'
  return (
    <p
      class={busy ? 'quiet meta' : 'meta quest-refused'}
      role={busy ? 'status' : undefined}
      data-testid="quest-moving"
      data-status={moving.status}
    >
      {moving.status === 'refused'
        ? words.quests.refused(moving.error?.message ?? '')
        : pendingText(moving, app.identity.value !== null)}
    </p>
  )
}
