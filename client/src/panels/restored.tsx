// One quiet line after the server came back: what it restored, and what that cost.
import { useEffect } from 'preact/hooks'
import type { RealmModel, Restored } from '../state/model'
import { clock, join, moment, words } from '../words'
import { useApp } from './context'
import { StateMark } from './marks'

/** How long the line stays when nobody puts it away, in milliseconds. */
const STAYS_MS = 60_000

/** messages: how many rows there are of what was said. */
export function restoredText(r: Restored, messages = 0): string {
  const w = words.restored
  const parts: string[] = []
  if (r.event.source === 'nothing') parts.push(w.clean)
  if (r.process !== 'idle' && r.stages > 0) parts.push(w.stage(r.stageIndex + 1, r.stages))
  if (messages > 0) parts.push(w.messages(messages))
  if (r.findings > 0) parts.push(w.findings(r.findings))
  if (r.event.interruptedRuns > 0) parts.push(w.cut(r.event.interruptedRuns, r.process === 'running'))
  if (parts.length === 0) parts.push(w.plain)
  if (r.savedAt && !older(r)) parts.push(w.saved(clock(r.savedAt)))
  const lines = [w.line(parts)]
  if (older(r) && r.event.since) lines.push(w.older(clock(r.event.since)))
  if (r.event.transcriptsLost && !r.event.salvage) lines.push(w.lost)
  const missing = r.event.missingMembers ?? []
  if (missing.length > 0) lines.push(w.missing(join(missing.map((x) => x.displayName || x.name))))
  return lines.join(' ')
}

/** The newest state file could not be used. Source 'state' is that file itself: the database was lost. */
function older(r: Restored): boolean {
  return r.event.source === 'previous' || r.event.source === 'base'
}

/**
 * How many rows the realm had when it came back: as listed, or as many as are here. What is said since is not restored.
 */
function rowsOf(realm: RealmModel, until: number): number {
  const known = new Map(Object.values(realm.heads).map((h) => [h.conversationId, h.messages]))
  for (const v of Object.values(realm.views))
    known.set(
      v.conversationId,
      Math.max(
        v.messages.some((m) => (m.seq ?? 0) > until) ? 0 : (known.get(v.conversationId) ?? 0),
        v.messages.filter((m) => (m.seq ?? 0) <= until).length,
      ),
    )
  return [...known.values()].reduce((sum, n) => sum + n, 0)
}

/** What a salvage of the realm's database could read: it stays, because what is lost stays lost. */
export function SalvageNotice() {
  const s = useApp().model.value.realm?.world.salvage
  if (!s) return null
  const w = words.restored
  const files = s.setAside && s.setAside.length > 0 ? w.salvageFiles(join(s.setAside)) : ''
  return (
    <details class="banner banner-salvage" data-testid="salvage">
      <summary>
        <StateMark state="interrupted" />
        <span>
          {w.salvage(w.salvageMessages(s.messages, s.messagesKnown), w.salvageEvents(s.events, s.eventsKnown))}
        </span>
      </summary>
      <p class="quiet">{w.salvageMore(moment(s.at), files).trim()}</p>
    </details>
  )
}

export function RestoredLine() {
  const app = useApp()
  const realm = app.model.value.realm
  const r = realm?.restored ?? null
  useEffect(() => {
    if (r === null) return
    const timer = setTimeout(() => app.dismissRestored(), STAYS_MS)
    return () => clearTimeout(timer)
  }, [r])
  if (realm === null || r === null) return null
  const costly = r.event.transcriptsLost || r.event.source === 'nothing' || (r.event.missingMembers ?? []).length > 0
  return (
    <div class={costly ? 'restored restored-costly' : 'restored'} role="status" data-testid="restored">
      <StateMark state={costly ? 'interrupted' : 'done'} />
      <span>{restoredText(r, rowsOf(realm, r.event.seq))}</span>
      <button
        type="button"
        class="icon-button"
        aria-label={words.restored.dismiss}
        onClick={() => app.dismissRestored()}
      >
        ✕
      </button>
    </div>
  )
}
