// A move of a quest that is on its way, or why the server did not take it.
import type { Pending } from '../net/outbox'
import { words } from '../words'
import { onItsWay } from './on-its-way'

export function QuestMoving({ moving }: { moving: Pending }) {
  const busy = moving.status !== 'refused'
  return (
    <p
      class={busy ? 'quiet meta' : 'meta quest-refused'}
      role={busy ? 'status' : undefined}
      data-testid="quest-moving"
      data-status={moving.status}
    >
      {moving.status === 'refused' ? words.quests.refused(moving.error?.message ?? '') : onItsWay(moving)}
    </p>
  )
}
