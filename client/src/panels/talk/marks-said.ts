// Routing markers in what was said in a party, for the eye: [FROM: ...] and
// [TEAM_TASK: ...] stay in the stored text and are shown as quiet chips; and the
// markers that the composer writes for a person. What counts is decided by the server
// (server/party), which says the rules: the last lines, not in code or quotes.

export interface Said {
  text: string
  from: string
  /** null where no task was said; "" takes it away. */
  task: string | null
}

const MARKER = /\[(FROM|TEAM_TASK|NEXT|DROP):([^\]\n]*)\]/gi

/** The text without the markers of its last lines, and what they said. */
export function readSaid(text: string): Said {
  const out: Said = { text, from: '', task: null }
  if (!text.includes('[')) return out
  const lines = text.split('\n')
  let i = lines.length
  let changed = false
  // The last line of text, and the lines after it that hold nothing but markers.
  while (i-- > 0) {
    const line = lines[i] ?? ''
    if (line.trim() === '') continue
    if (isOther(lines, i)) break
    const bare = outsideCode(line).replace(MARKER, (_, kind: string, said: string) => {
      if (kind.toUpperCase() === 'FROM') out.from ||= said.trim()
      if (kind.toUpperCase() === 'TEAM_TASK') out.task ??= said.trim()
      changed = true
      return ''
    })
    lines[i] = restored(bare, line).trimEnd()
    if (lines[i]?.trim() !== '') break
  }
  return changed ? { ...out, text: lines.join('\n').trimEnd() } : out
}

/** A quoted or indented line, or one within a fence, says nothing of its own. */
function isOther(lines: readonly string[], i: number): boolean {
  const line = lines[i] ?? ''
  if (/^\s*>/.test(line) || /^(\t| {4})/.test(line)) return true
  return lines.slice(0, i).filter((l) => /^\s*(```|~~~)/.test(l)).length % 2 === 1 || /^\s*(```|~~~)/.test(line)
}

const CODE = /`[^`]*`/g

/** The line with signs in the place of code, so that markers in it are not seen. */
function outsideCode(line: string): string {
  return line.replace(CODE, (code) => '\u0000'.repeat(code.length))
}

function restored(bare: string, line: string): string {
  const codes = line.match(CODE) ?? []
  let n = 0
  return bare.replace(/\u0000+/g, () => codes[n++] ?? '')
}

const NEXT = /\s*\[NEXT:([^\]\n]*)\]\s*$/i

/** Whom the text asks at its end, as written there. */
export function askedIn(text: string): string[] {
  const found = NEXT.exec(text)
  return (found?.[1] ?? '').split(',').map((s) => s.trim()).filter(Boolean)
}

/** The text that asks a member at its end, or does not any more. */
export function toggleAsked(text: string, name: string): string {
  const now = askedIn(text)
  const is = (s: string) => s.replace(/!P[123]$/i, '').trim().toLowerCase() === name.toLowerCase()
  const next = now.some(is) ? now.filter((s) => !is(s)) : [...now, name]
  const body = text.replace(NEXT, '').trimEnd()
  if (next.length === 0) return body
  return `${body}${body === '' ? '' : ' '}[NEXT: ${next.join(', ')}]`
}

/** Whether the text asks the member at its end. */
export function asks(text: string, name: string): boolean {
  return askedIn(text).some((s) => s.replace(/!P[123]$/i, '').trim().toLowerCase() === name.toLowerCase())
}
