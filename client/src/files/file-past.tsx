// The history of an open file: who looks at it now, which coding agents have read and edited it, its commits, and
// the authors of its lines.
import { useEffect, useState } from 'preact/hooks'
import { FileTimeline } from '../map/file-timeline'
import type { Answer } from '../net/ask'
import { readPast } from '../net/files'
import type { FilePast as Past } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { DOT, moment } from '../words-format'
import { viewerWords } from '../words-viewer'

interface Props {
  realm: RealmModel
  path: string
}

/** The maximum number of authors that are shown. */
const AUTHORS = 12

export function FilePast({ realm, path }: Props) {
  const app = useApp()
  const w = viewerWords.past
  const [answer, setAnswer] = useState<Answer<Past>>(null)
  const generation = useSelect(() => realm.world.map.generation, [realm])
  const here = useSelect(() => app.model.spectators.list.filter((s) => s.path === path).map((s) => s.name), [app, path])
  const heroes = useSelect(
    () => [...new Set(realm.world.findings.filter((f) => f.path === path).map((f) => nameOf(realm, f.agentId)))],
    [realm, path],
  )
  useEffect(() => {
    const stop = new AbortController()
    void readPast(realm.id, path, stop.signal).then((a) => a !== null && setAnswer(a))
    return () => stop.abort()
  }, [realm.id, path, generation])
  const past = answer !== null && 'got' in answer ? answer.got : null
  const authors = past === null ? [] : authorsOf(past)
  return (
    <aside class="file-past scroll" tabIndex={0} aria-label={w.title} data-testid="file-past">
      {here.length > 0 && (
        <p>
          <span class="quiet">{w.here}:</span> {here.join(', ')}
        </p>
      )}
      {heroes.length > 0 && (
        <p>
          <span class="quiet">{w.found}:</span> {heroes.join(', ')}
        </p>
      )}
      <FileTimeline realm={realm} path={path} />
      {answer === null && <p class="quiet">{w.loading}</p>}
      {answer !== null && 'failed' in answer && <p role="alert">{answer.failed || w.failed}</p>}
      {past !== null && (
        <>
          <h4>{w.commits}</h4>
          {past.commits.length === 0 && <p class="quiet">{w.none}</p>}
          <ol class="file-commits">
            {past.commits.map((c) => (
              <li key={c.commit}>
                {c.subject}
                <span class="quiet">
                  {w.by(c.by, c.at)}
                  {DOT}
                  <code title={c.commit}>{c.commit.slice(0, 8)}</code>
                </span>
              </li>
            ))}
          </ol>
          {past.more && <p class="quiet">{w.more}</p>}
          {authors.length > 0 && <h4>{w.authors}</h4>}
          <ul class="file-authors">
            {authors.slice(0, AUTHORS).map((a) => (
              <li key={a.by}>
                <strong>{a.by}</strong>{' '}
                <span class="quiet">
                  {w.lines(a.lines)}
                  {DOT}
                  <time>{moment(a.at)}</time>
                </span>
              </li>
            ))}
          </ul>
          {(past.open ?? 0) > 0 && <p class="quiet">{w.open(past.open ?? 0)}</p>}
        </>
      )}
    </aside>
  )
}

/** The authors, those with the most lines first, with the time of each author's newest line. */
function authorsOf(past: Past): { by: string; lines: number; at: string }[] {
  const by = new Map<string, { by: string; lines: number; at: string }>()
  for (const r of past.runs) {
    const known = by.get(r.by) ?? { by: r.by, lines: 0, at: '' }
    const at = r.at ?? ''
    by.set(r.by, { by: r.by, lines: known.lines + r.to - r.from + 1, at: at > known.at ? at : known.at })
  }
  return [...by.values()].sort((a, b) => b.lines - a.lines)
}
