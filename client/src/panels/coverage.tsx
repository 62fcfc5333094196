// What the newest review has read: one line that opens a table. It tells the person that a language without findings
// may not have been read.
import { useMemo } from 'preact/hooks'
import type { Artifact } from '../net/protocol.gen'
import { coverageOf, coverageRows, HOW, readLanguages } from '../state/coverage'
import { coverageWords as w } from '../words-findings'
import { CoverageRow } from './coverage-row'

export function Coverage({ artifacts }: { artifacts: readonly Artifact[] }) {
  const c = useMemo(() => coverageOf(artifacts), [artifacts])
  if (c === null) return null
  const read = readLanguages(c)
  return (
    <details class="coverage" data-testid="coverage">
      <summary class={read.unknown.length > 0 ? 'coverage-unknown' : undefined} data-testid="coverage-line">
        {w.line(read)}
      </summary>
      <div class="coverage-body scroll" tabIndex={0} role="group" aria-label={w.title}>
        <table data-testid="coverage-table">
          <thead>
            <tr>
              <th scope="col">{w.language}</th>
              {HOW.map((how) => (
                <th scope="col" key={how}>
                  {w.how[how]}
                </th>
              ))}
            </tr>
          </thead>
          {coverageRows(c).map((l) => (
            <CoverageRow key={l.language} of={l} />
          ))}
        </table>
        {c.general.length > 0 && <p class="quiet">{w.general(c.general)}</p>}
        {(c.limits ?? []).length > 0 && (
          <ul class="coverage-limits" data-testid="coverage-limits">
            {c.limits?.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
      </div>
    </details>
  )
}
