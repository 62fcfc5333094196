// A row of the coverage table: how many files of a language the review has read, and the kinds of problems that it
// can find in them.
import type { Covered } from '../net/protocol.gen'
import { HOW, isUnknown, kindsIn } from '../state/coverage'
import { count } from '../words'
import { coverageWords as w } from '../words-findings'

export function CoverageRow({ of: l }: { of: Covered }) {
  const kinds = kindsIn(l)
  return (
    <tbody>
      <tr>
        <th scope="row">{l.language || w.others}</th>
        {HOW.map((how) => (
          <td key={how}>
            {l[how].files > 0 && (
              <>
                {count(l[how].files)}
                {!!l[how].lines && <small>{w.lines(l[how].lines ?? 0)}</small>}
              </>
            )}
          </td>
        ))}
      </tr>
      {l.language !== '' && (
        <tr>
          <td colSpan={5} class={isUnknown(l) ? 'coverage-unknown' : 'quiet'}>
            {isUnknown(l) ? (
              w.unknown
            ) : (
              <details>
                <summary>{w.kinds(kinds.length)}</summary>
                {kinds.join(', ')}
              </details>
            )}
          </td>
        </tr>
      )}
    </tbody>
  )
}
