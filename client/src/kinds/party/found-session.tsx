// The question whether to resume the team's last session or start a new one, answered by buttons or keys (S2-B6).
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TeamInfo } from '../../net/protocol.gen'
import { ago, moment } from '../../words'
import { partyWords } from './words'
import { EarlierSession } from './earlier-session'

interface FoundSessionProps {
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

export function FoundSession(props: FoundSessionProps) {
  const { team, busy, resuming, hint, onResume, onNew, onBack } = props
  const w = partyWords
  const [last, ...others] = team.sessions
  const now = Date.now()
  useKeys(props)
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
              <EarlierSession key={s.sessionId} session={s} busy={busy} onResume={onResume} now={now} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/**
 * Handles keys: R resumes, N starts a new session, Escape cancels, any other character shows a hint. The listener sees
 * the keys wherever the focus is, from the first paint on.
 */
function useKeys({ team, onResume, onNew, onCancel, onHint }: FoundSessionProps): void {
  const [last] = team.sessions
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
    } else if (e.key.length === 1 && e.key !== ' ') onHint(partyWords.pressRN)
  }
  const latest = useRef(onKey)
  latest.current = onKey
  useLayoutEffect(() => {
    const listen = (e: KeyboardEvent) => latest.current(e)
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
}
