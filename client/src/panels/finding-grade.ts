// How bad a finding is and how certain, as words, in the same way wherever the page names a finding.
import type { Finding } from '../net/protocol.gen'
import { stateOf } from '../state/findings'
import { facts, words } from '../words'

/**
 * The severity and the state of a finding; without a state the confidence. The state "suspected" means low confidence,
 * so the two are not named together.
 */
export function gradeOf(f: Finding): string {
  const w = words.findings
  const state = stateOf(f)
  return facts([w.severe(w.severity[f.severity]), state ? w.state[state] : f.confidence && w.confidence[f.confidence]])
}
