// A line after a restart of the server: what was restored, and what was lost.
import { useEffect } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'
import { restoredText } from './restored-text'
import { useSelect } from './use-select'

/**
 * How long the line about a restart is shown, in milliseconds. quiet: nothing was lost. costly: something was lost.
 */
const STAYS_MS = { quiet: 15_000, costly: 60_000 }

/**
 * The number of rows that the realm had at the restart. For a conversation whose rows are loaded, it is at least the
 * number of loaded rows from before the restart. The number in the server's list counts only if no row was added since.
 */
function rowsOf(realm: RealmModel): number {
  const until = realm.restored?.event.seq ?? 0
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

export function RestoredLine({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const r = realm.restored
  const text = useSelect(() => (realm.restored ? restoredText(realm.restored, rowsOf(realm)) : ''), [realm])
  const e = r?.event
  const costly = !!e && (e.transcriptsLost || e.source === 'nothing' || (e.missingMembers ?? []).length > 0)
  useEffect(() => {
    if (r === null) return
    const timer = setTimeout(() => app.dismissRestored(), STAYS_MS[costly ? 'costly' : 'quiet'])
    return () => clearTimeout(timer)
  }, [app, r, costly])
  if (r === null || !app.live.value) return null // while the connection is lost, only its own banner is shown
  return (
    <div class={costly ? 'restored restored-costly' : 'restored'} role="status" data-testid="restored">
      <StateMark state={costly ? 'interrupted' : 'done'} />
      <span>{text}</span>
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
