// Reads Markdown. The text is never parsed as HTML (S0-B20), so tags in it are shown as they were written. Pure.
import { Lexer, type Token } from 'marked'

/** What is read at once, in characters: some texts take time that grows with their square. */
const PIECE = 8_000

/** The text in pieces that end with a line where they can; a block of code that is cut goes on as one. */
export function pieces(text: string): string[] {
  const out: string[] = []
  let open = ''
  for (let at = 0; at < text.length;) {
    const end = text.length - at <= PIECE * 1.2 ? text.length : breakBefore(text, at + PIECE, at)
    const piece = text.slice(at, end)
    out.push(open === '' ? piece : `${open}\n${piece}`)
    open = fenceAfter(piece, open)
    at = end
  }
  return out
}

/** The best place to cut at or before i: after an empty line, a line, a word, or at i. */
export function breakBefore(text: string, i: number, from = 0): number {
  const least = Math.max(from + 1, i - PIECE / 2)
  for (const by of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(by, i - by.length)
    if (at >= least) return at + by.length
  }
  const code = text.charCodeAt(i)
  return code >= 0xdc00 && code <= 0xdfff ? i - 1 : i
}

/** The fence that is open after a text before which open was; "" outside of code. */
export function fenceAfter(text: string, open = ''): string {
  for (const [, fence = '', info = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === '') open = fence
    else if (fence[0] === open[0] && fence.length >= open.length && info.trim() === '') open = ''
  }
  return open
}

/** null where the text cannot be read: parts within parts without an end. */
export function read(text: string): Token[] | null {
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text)
  } catch {
    return null
  }
}
