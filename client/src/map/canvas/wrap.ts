// Where the text of a bubble wraps: between words, and in a word longer than a line after a slash, dot, underline or
// hyphen. Pure.

/** A word of more letters than this can break, because it may be longer than a line of a narrow bubble. */
const LONG_WORD = 10

/** The parts of a text. A line can end after each part that a space does not end, and at each space. */
export function breakable(text: string): string[] {
  return text.split(/(?<=\s)/).flatMap((word) => {
    if (word.trimEnd().length <= LONG_WORD) return [word]
    return word.split(/(?<=[/._-])(?=[^\s/._-])/)
  })
}

/** The number of lines that a text takes if a line has space for a number of letters. */
export function linesOf(text: string, letters: number): number {
  const most = Math.max(1, letters)
  let lines = 1
  let used = 0
  for (const part of breakable(text)) {
    const { length } = part.trimEnd()
    if (used > 0 && used + length > most) {
      lines++
      used = 0
    }
    // A part longer than a line breaks anywhere.
    lines += Math.max(0, Math.ceil(length / most) - 1)
    used = (length > most ? length % most || most : used + length) + part.length - length
  }
  return lines
}
