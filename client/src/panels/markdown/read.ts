// Parses Markdown. The text never becomes HTML (S0-B20): tags are shown as text. Pure.
import { Lexer, Tokenizer, type Token, type Tokens } from 'marked'

/** The length that is parsed at once, in characters: the time for some texts grows with the square of their length. */
const PIECE = 8_000

/** Splits a text into pieces, at line ends where possible. Both parts of a split code block are code. */
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

/**
 * The place to split at or before i and after from: after an empty line, else after a line, else after a word, else i
 * itself.
 */
export function breakBefore(text: string, i: number, from = 0): number {
  const least = Math.max(from + 1, i - PIECE / 2)
  for (const by of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(by, i - by.length)
    if (at >= least) return at + by.length
  }
  const code = text.charCodeAt(i)
  return code >= 0xdc00 && code <= 0xdfff ? i - 1 : i
}

/**
 * The code fence that is open at the end of the text; "" if none is. open: the fence that is open at the beginning of
 * the text.
 */
export function fenceAfter(text: string, open = ''): string {
  for (const [, fence = '', info = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === '') open = fence
    else if (fence[0] === open[0] && fence.length >= open.length && info.trim() === '') open = ''
  }
  return open
}

/** The part of a file name between a folder and an extension that has underscores at both ends: "__init__" of ".py". */
const UNDERSCORED = /^_\w*_(?=\.[A-Za-z])/

/** Keeps the underscores of a file name, which Markdown would read as emphasis. */
class FileNameTokenizer extends Tokenizer {
  override emStrong(src: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    const name = UNDERSCORED.exec(src)?.[0]
    // The lexer takes every token here, but its type says only what this function returns for emphasis.
    if (name) return { type: 'text', raw: name, text: name } as unknown as Tokens.Em
    return super.emStrong(src, masked, before)
  }
}

/** Parses a text. Returns null if the parser fails, as it does for a text that is nested too deeply. */
export function read(text: string): Token[] | null {
  try {
    return new Lexer({ gfm: true, breaks: true, tokenizer: new FileNameTokenizer() }).lex(text)
  } catch {
    return null
  }
}
