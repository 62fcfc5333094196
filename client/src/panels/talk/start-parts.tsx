// The parts that forms of the dialog which begins a conversation share.
import type { StartDraft } from '../../kinds/kind'
import type { Agent } from '../../state/talks'
import { words } from '../../words'
import { Shield } from '../marks'
import { Refusals } from '../refusals'

export function AgentPick({
  agents,
  chosen,
  onPick,
}: {
  agents: readonly Agent[]
  chosen: string
  onPick: (id: string) => void
}) {
  return (
    <label>
      <span>{words.chats.dialog.agent}</span>
      <select data-testid="talk-agent" value={chosen} onChange={(e) => onPick(e.currentTarget.value)}>
        {agents.map((a) => (
          <option key={a.id} value={a.id}>
            {a.name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** me: the person at this page, "" where nobody has registered. */
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
  const w = words.chats.dialog
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
          <span>{a.name}</span>
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

export function StartFoot({ problem, busy, onDone }: { problem: string; busy: boolean; onDone: () => void }) {
  const w = words.chats.dialog
  return (
    <>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Refusals only={['conversation.start']} />
      <div class="buttons">
        <button type="submit" class="primary" data-testid="talk-start-go" disabled={busy}>
          {busy ? w.starting : w.start}
        </button>
        <button type="button" onClick={onDone}>
          {words.chats.cancel}
        </button>
      </div>
    </>
  )
}
