// The follow-up questions that an answer in a chat offers: the last paragraph of its text (P9.21). Pure.

export interface Answer {
  /** The text without the questions. */
  text: string
  /** The questions; empty while the last line is no question yet, because the text is streaming. */
  questions: readonly string[]
}

const TITLE = /(?:^|\n\n)Ask next:\n/
const LINE = /^- (\S.{0,299})$/

/** The maximum number of questions that are shown. */
const MOST = 5

/** Splits a text, which may still be streaming. If the last paragraph has another form, it belongs to the text. */
export function splitAnswer(text: string): Answer {
  const at = TITLE.exec(text)
  if (at === null) return { text, questions: [] }
  const lines = text.slice(at.index + at[0].length).split('\n')
  const whole = lines.filter((line) => line.trim() !== '').map((line) => LINE.exec(line)?.[1])
  if (whole.length > MOST || whole.slice(0, -1).includes(undefined)) return { text, questions: [] }
  const questions = whole.filter((question) => question !== undefined)
  return { text: text.slice(0, at.index), questions: questions.length === whole.length ? questions : [] }
}
