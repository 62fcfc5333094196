// One quiet line after the server came back: what it restored, and what that cost.
import { useEffect } from 'preact/hooks'
import type { Restored } from '../state/model'
import { clock, join, words } from '../words'
import { useApp } from './context'
import { StateMark } from './marks'

/** How long the line stays when nobody puts it away, in milliseconds. */
const STAYS_MS = 60_000

export function restoredText(r: Restored): string {
  const w = words.restored
  const parts: string[] = []
  if (r.event.source === 'nothing') parts.push(w.clean)
  if (r.process !== 'idle' && r.stages > 0) parts.push(w.stage(r.stageIndex + 1, r.stages))
  if (r.findings > 0) parts.push(w.findings(r.findings))
  if (r.event.interruptedRuns > 0) parts.push(w.cut(r.event.interruptedRuns, r.process === 'running'))
  if (parts.length === 0) parts.push(w.plain)
  const lines = [w.line(parts)]
  if (r.event.source === 'previous' || r.event.source === 'base' || r.event.source === 'state') {
    if (r.event.since) lines.push(w.older(clock(r.event.since)))
  }
  if (r.event.transcriptsLost) lines.push(w.lost)
  const missing = r.event.missingMembers ?? []
  if (missing.length > 0) lines.push(w.missing(join(missing.map((x) => x.displayName || x.name))))
  return lines.join(' ')
}

export function RestoredLine() {
  const app = useApp()
  const r = app.model.value.realm?.restored ?? null
  useEffect(() => {
    if (r === null) return
    const timer = setTimeout(() => app.dismissRestored(), STAYS_MS)
    return () => clearTimeout(timer)
  }, [r])
  if (r === null) return null
  const costly = r.event.transcriptsLost || r.event.source === 'nothing' || (r.event.missingMembers ?? []).length > 0
  return (
    <div class={costly ? 'restored restored-costly' : 'restored'} role="status" data-testid="restored">
      <StateMark state={costly ? 'interrupted' : 'done'} />
      <span>{restoredText(r)}</span>
      <button type="button" class="icon-button" aria-label={words.restored.dismiss} onClick={() => app.dismissRestored()}>
        ✕
      </button>
    </div>
  )
}
