// The line to which "Next finding" of an open file leads. Pure.
import type { Finding } from '../net/protocol.gen'

/**
 * The line of the first finding after the given line; if there is none, the line of the file's first finding; 0 if
 * the findings are not in at least two lines. findings: those of the file, by line.
 */
export function nextLine(findings: readonly Pick<Finding, 'line'>[], line: number): number {
  const lines = findings.map((f) => f.line ?? 0).filter((n) => n > 0)
  if (new Set(lines).size < 2) return 0
  return lines.find((n) => n > line) ?? lines[0]!
}
