// The coding agents that have read and edited a file, the newest first.
import type { RealmModel } from '../state/model'
import { useNow } from '../panels/use-now'
import { useSelect } from '../panels/use-select'
import { moment } from '../words-format'
import { filesWords } from '../words-files'

/** The maximum number of runs of touches that are shown. */
const SHOWN = 6

export function FileTimeline({ realm, path }: { realm: RealmModel; path: string }) {
  const runs = useSelect(() => (realm.world.touches ?? []).filter((t) => t.path === path).reverse(), [realm, path])
  const clashes = useSelect(() => (realm.world.collisions ?? []).some((c) => c.path === path), [realm, path])
  const now = useNow()
  if (runs.length === 0) return null
  return (
    <section class="file-timeline" aria-label={filesWords.touched} data-testid="file-timeline">
      {clashes && <p class="file-clash">{filesWords.here}</p>}
      <ol>
        {runs.slice(0, SHOWN).map((t) => (
          <li key={`${t.agentId} ${t.since}`} title={t.last ? moment(t.last) : undefined}>
            <strong>{t.name}</strong> {filesWords.did(t)}
            {t.worktree && ` ${filesWords.worktree(t.worktree)}`} <span class="quiet">{filesWords.when(t, now)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
