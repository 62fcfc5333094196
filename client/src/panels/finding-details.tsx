// An opened finding: evidence, reason, advice.
import type { Finding } from '../net/protocol.gen'
import { words } from '../words'
import { Folding } from './folding'

/** The number of characters of each part that are shown before the reader unfolds the part. */
const PART = 1_200

/** The maximum number of merged findings that are named. */
const MAX_ALSO = 20

export function FindingDetails({ finding: f, also }: { finding: Finding; also: readonly Finding[] }) {
  const w = words.findings
  const told = f.evidence || f.why || f.advice
  return (
    <dl class="finding-details">
      {!told && f.text && (
        <dd class="text">
          <Folding text={f.text} limit={PART} />
        </dd>
      )}
      {f.evidence && (
        <>
          <dt>{w.evidence}</dt>
          <dd>
            <pre class="evidence" tabIndex={0} data-testid="finding-evidence">
              {f.evidence}
            </pre>
          </dd>
        </>
      )}
      {f.why && (
        <>
          <dt>{w.why}</dt>
          <dd class="text" data-testid="finding-why">
            <Folding text={f.why} limit={PART} />
          </dd>
        </>
      )}
      {f.advice && (
        <>
          <dt>{w.advice}</dt>
          <dd class="text" data-testid="finding-advice">
            <Folding text={f.advice} limit={PART} />
          </dd>
        </>
      )}
      {f.proof && (
        <>
          <dt>{w.proof}</dt>
          <dd class="text" data-testid="finding-proof">
            <Folding text={f.proof} limit={PART} />
          </dd>
        </>
      )}
      {also.length > 0 && (
        <>
          <dt>{w.also(also.length)}</dt>
          <dd>
            <ul data-testid="finding-also">
              {also.slice(0, MAX_ALSO).map((o) => (
                <li key={o.id}>
                  {o.path !== '' && <code>{o.line ? `${o.path}:${o.line}` : o.path}</code>} {o.title}
                </li>
              ))}
              {also.length > MAX_ALSO && <li>{w.alsoMore(also.length - MAX_ALSO)}</li>}
            </ul>
          </dd>
        </>
      )}
      {f.check && (
        <>
          <dt>{w.check}</dt>
          <dd>
            <code data-testid="finding-check">{f.check}</code>
          </dd>
        </>
      )}
    </dl>
  )
}
