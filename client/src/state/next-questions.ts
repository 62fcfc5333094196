// The questions that an answer in a chat offers to go on with: the last paragraph of its text (P9.21). Pure.

export interface Answer {
  /** The text without the questions. */
  text: string
  /** Empty while the text is not whole. */
  questions: readonly string[]
}

const TITLE = /(?:^|\n\n)Ask next:\n/
const LINE = /^- (\S.{0,299})$/

/** The greatest number of questions that are shown. */
const MOST = 5

/** Splits a text that can still grow. A last paragraph of another form is part of the text. */
export function splitAnswer(text: string): Answer {
  const at = TITLE.exec(text)
  if (at === null) return { text, questions: [] }
  const lines = text.slice(at.index + at[0].length).split('\n')
  const whole = lines.filter((line) => line.trim() !== '').map((line) => LINE.exec(line)?.[1])
  if (whole.length > MOST || whole.slice(0, -1).includes(undefined)) return { text, questions: [] }
  const questions = whole.filter((question) => question !== undefined)
  return { text: text.slice(0, at.index), questions: questions.length === whole.length ? questions : [] }
}
