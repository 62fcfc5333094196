// The choice of members for a new conversation.
import type { StartDraft } from '../../kinds/kind'
import type { Agent } from '../../state/conversations'
import { words } from '../../words'
import { Shield } from '../shield'

/** me: the person at this page; "" before the registration. */
export function MembersPick({
  agents,
  me,
  draft,
  onDraft,
}: {
  agents: readonly Agent[]
  me: string
  draft: StartDraft
  onDraft: (change: (now: StartDraft) => StartDraft) => void
}) {
  const w = words.conversation.dialog
  const toggle = (id: string) => {
    onDraft((now) => ({
      ...now,
      chosen: now.chosen.includes(id) ? now.chosen.filter((x) => x !== id) : [...now.chosen, id],
    }))
  }
  return (
    <fieldset class="who-takes-part">
      <legend>{w.who}</legend>
      {agents.map((a) => (
        <label key={a.id} class="pick">
          <input
            type="checkbox"
            data-testid={`talk-member-${a.id}`}
            checked={draft.chosen.includes(a.id)}
            onChange={() => toggle(a.id)}
          />
          <Shield id={a.id} name={a.name} color={a.color} />
          <span>
            {a.name}
            {a.side && <span class="quiet pick-side">{a.side}</span>}
          </span>
        </label>
      ))}
      {me !== '' && (
        <label class="pick">
          <input
            type="checkbox"
            data-testid="talk-member-self"
            checked={draft.self}
            onChange={() => onDraft((now) => ({ ...now, self: !now.self }))}
          />
          <span>{w.you}</span>
        </label>
      )}
    </fieldset>
  )
}
