// The heading of the suspected, accepted or withdrawn findings, which follow those that stand whatever the order. It
// is no component, because a list of thousands of findings would have one more for each.
import type { Finding } from '../net/protocol.gen'
import { stands, stateOf } from '../state/findings'
import { words } from '../words'

/** before: the finding above `finding` in the list; undefined for the first one. */
export function findingsPart(finding: Finding, before: Finding | undefined) {
  if (!before || stands(finding) || stateOf(before) === stateOf(finding)) return null
  const part = stateOf(finding)
  return <li class="findings-part quiet">{part !== '' && part !== 'proved' && words.findings.part[part]}</li>
}
