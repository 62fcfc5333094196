// A session of the team was found: go on with it, or begin a new one, by buttons or keys (S2-B6).
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TeamInfo } from '../../net/protocol.gen'
import { ago, moment } from '../../words'
import { partyWords } from './words'
import { Earlier } from './earlier'

interface FoundProps {
  team: TeamInfo
  busy: boolean
  resuming: boolean
  hint: string
  onHint: (hint: string) => void
  onResume: (sessionId: string) => void
  onNew: () => void
  onBack: () => void
  onCancel: () => void
}

/** "Found previous session": R goes on with it, N begins a new one, Escape gives up, any other key says so. */
export function Found({ team, busy, resuming, hint, onHint, onResume, onNew, onBack, onCancel }: FoundProps) {
  const w = partyWords
  const [last, ...others] = team.sessions
  const now = Date.now()
  const onKey = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return
    const key = e.key.toLowerCase()
    if (key === 'escape') {
      e.preventDefault()
      e.stopPropagation()
      onCancel()
    } else if (key === 'r' && last) {
      e.preventDefault()
      onResume(last.sessionId)
    } else if (key === 'n') {
      e.preventDefault()
      onNew()
    } else if (e.key.length === 1 && e.key !== ' ') onHint(w.pressRN)
  }
  // The keys count wherever the focus is, from the moment the question stands.
  const latest = useRef(onKey)
  latest.current = onKey
  useLayoutEffect(() => {
    const listen = (e: KeyboardEvent) => latest.current(e)
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
  const first = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  if (!last) return null
  return (
    <div class="found" data-testid="found">
      <p>
        <strong>{w.found(team.name)}</strong>
      </p>
      <p class="quiet" title={moment(last.updatedAt ?? '')} data-testid="found-facts">
        {w.facts(ago(last.updatedAt, now), last.messages)}
      </p>
      <p class="found-summary" data-testid="found-summary">
        {last.summary}
      </p>
      <div class="buttons">
        <button
          ref={first}
          type="button"
          class="primary"
          data-testid="found-resume"
          disabled={busy}
          aria-keyshortcuts="R"
          onClick={() => onResume(last.sessionId)}
        >
          {resuming ? w.resuming : w.resume}
        </button>
        <button type="button" data-testid="found-new" disabled={busy} aria-keyshortcuts="N" onClick={onNew}>
          {busy && !resuming ? w.beginning : w.fresh}
        </button>
        <button type="button" class="ghost" onClick={onBack}>
          {w.back}
        </button>
      </div>
      <p class={hint.startsWith(w.pressRN) ? 'quiet pre' : 'problem pre'} role="alert" data-testid="found-hint">
        {hint}
      </p>
      {others.length > 0 && (
        <details>
          <summary>{w.earlier(others.length)}</summary>
          <ul class="earlier">
            {others.map((s) => (
              <Earlier key={s.sessionId} session={s} busy={busy} onResume={onResume} now={now} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
