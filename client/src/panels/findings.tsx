// What was found: newest first, by severity, any number of it.
import { useMemo, useState } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { clock, count, title, words } from '../words'
import { useApp } from './context'
import { SeverityMark } from './marks'
import { Folding } from './plain'
import { WindowList } from './window-list'

const MOST_FIRST = ['critical', 'high', 'medium', 'low', 'info'] as const

type Severity = Finding['severity']

export function Findings() {
  const { realm } = useApp().model.value
  const [only, setOnly] = useState<Severity | null>(null)
  const all = realm?.world.findings
  const counts = useMemo(() => {
    const out: Record<Severity, number> = { info: 0, low: 0, medium: 0, high: 0, critical: 0 }
    for (const f of all ?? []) out[f.severity]++
    return out
  }, [all])
  const shown = useMemo(() => (all ?? []).filter((f) => only === null || f.severity === only).reverse(), [all, only])
  if (!realm) return null
  if (!all || all.length === 0) {
    return (
      <div class="empty">
        <p>{words.findings.empty}</p>
        <p class="quiet">{words.findings.emptyNext}</p>
      </div>
    )
  }
  return (
    <div class="findings">
      <div class="filters" role="group" aria-label={words.findings.filter}>
        <button type="button" class="filter" aria-pressed={only === null} onClick={() => setOnly(null)}>
          {words.findings.all} <span class="quiet">{count(all.length)}</span>
        </button>
        {MOST_FIRST.filter((s) => counts[s] > 0).map((s) => (
          <button key={s} type="button" class="filter" aria-pressed={only === s} onClick={() => setOnly(only === s ? null : s)}>
            <SeverityMark severity={s} /> {words.findings.severity[s]} <span class="quiet">{count(counts[s])}</span>
          </button>
        ))}
      </div>
      {shown.length === 0 ? (
        <p class="empty quiet">{words.findings.none}</p>
      ) : (
        <WindowList items={shown} keyOf={(f) => f.id} estimate={92} label={words.findings.title} testid="findings" render={(f) => <FindingRow finding={f} realm={realm} />} />
      )}
    </div>
  )
}

function FindingRow({ finding: f, realm }: { finding: Finding; realm: RealmModel }) {
  const stage = f.stageId ? (realm.world.processState.template?.stages.find((s) => s.id === f.stageId)?.name ?? title(f.stageId)) : ''
  return (
    <article class={`finding finding-${f.severity}`} data-testid="finding" data-severity={f.severity}>
      <SeverityMark severity={f.severity} />
      <div>
        <h4>{f.title}</h4>
        <p class="path">
          {f.path || words.findings.whole}
          {f.path && f.line ? `:${f.line}` : ''}
        </p>
        {f.text && (
          <div class="text">
            <Folding text={f.text} limit={400} />
          </div>
        )}
        <p class="quiet meta">
          {words.findings.by(nameOf(realm, f.agentId))}
          {stage && ` · ${stage}`} · {clock(f.at)}
        </p>
      </div>
    </article>
  )
}
