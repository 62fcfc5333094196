// The questions that an agent asks a person with a tool call, such as AskUserQuestion of Claude Code. Pure.

export interface Question {
  text: string
  /** Whether a person can choose several options. */
  many: boolean
  options: readonly { label: string; description: string }[]
}

/** What a person has chosen and typed as the answer to a question. */
export interface Answer {
  chosen: readonly string[]
  typed: string
}

export const NO_ANSWER: Answer = { chosen: [], typed: '' }

type Fields = Record<string, unknown>

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const listOf = (value: unknown) =>
  Array.isArray(value) ? value.filter((v): v is Fields => typeof v === 'object' && v !== null) : []

/** The questions in the input of a tool call; none if it asks no questions, or if the server has cut the input off. */
export function questionsIn(input = ''): Question[] {
  let fields: Fields
  try {
    fields = JSON.parse(input) as Fields
  } catch {
    return []
  }
  return listOf(fields['questions']).map((q) => ({
    text: textOf(q['question']),
    many: q['multiSelect'] === true,
    options: listOf(q['options']).map((o) => ({ label: textOf(o['label']), description: textOf(o['description']) })),
  }))
}

/** The questions and answers in the output of AskUserQuestion, each as one text; none in any other output. */
export function answersIn(output: string): string[] {
  return [...output.matchAll(/"([^"]*)"="([^"]*)"/g)].map(([, question = '', answer = '']) => `${question} ${answer}`)
}

/** The answer to a question as one text: the chosen labels, and what was typed instead of one or beside them. */
export function answerOf(q: Question, { chosen, typed }: Answer): string {
  const text = typed.trim()
  if (!q.many) return text || (chosen[0] ?? '')
  return [...chosen, text].filter(Boolean).join(', ')
}
