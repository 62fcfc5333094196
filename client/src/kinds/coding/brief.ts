// The folded row of a tool call: the call in a few words instead of its input. Pure.
import { ignoredFiles } from '../../state/ignored-files'
import { codingWords } from './words'

/** The fields of a tool's input that describe a call best, the most telling first. */
const TELLING = [
  ['command', 'cmd'],
  ['file_path', 'filePath', 'notebook_path', 'absolute_path'],
  ['pattern', 'query', 'url'],
  ['path', 'dir_path'],
  ['description', 'message', 'prompt', 'chars', 'plan'],
].flat()

/** The fields that can have a patch in the form of Codex. */
const PATCH = ['input', 'patch', 'patchText']

/** The maximum number of fields in the text of a call that has none of the fields above. */
const FIELDS = 6

type Fields = Record<string, unknown>

/** Returns the call in a few words: the files of a patch, the step of a plan, a command, a file, a query and so on. */
export function briefOf(input: string): string {
  const names = ignoredFiles(input)
  if (names) return names.join(', ')
  if (!input.startsWith('{')) return patchOf(input) || input
  const whole = parsed(input)
  const fields = whole ?? head(input)
  return (
    first(PATCH, (name) => patchOf(textOf(fields[name]))) ||
    first(TELLING, (name) => patchOf(textOf(fields[name])) || textOf(fields[name])) ||
    stepOf(fields['plan'] ?? fields['todos']) ||
    questionOf(fields['questions']) ||
    (whole ? leaves(whole).slice(0, FIELDS).join(', ') : input)
  )
}

function parsed(input: string): Fields | null {
  try {
    return JSON.parse(input) as Fields
  } catch {
    return null // the server has cut the JSON off
  }
}

/** One field with a text at the beginning of a JSON object. */
const FIELD = /^[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*")\s*/

/** The field in whose text a JSON object is cut off, without half an escape at the end. */
const LAST = /^[{,]\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\(?:[^u]|u[0-9a-fA-F]{4}))*)/

/** The fields with texts at the beginning of a JSON object that is cut off. */
function head(input: string): Fields {
  const fields: Fields = {}
  let rest = input
  for (let m = FIELD.exec(rest); m; m = FIELD.exec(rest)) {
    Object.assign(fields, parsed(`{${m[1]}:${m[2]}}`))
    rest = rest.slice(m[0].length)
  }
  const m = LAST.exec(rest)
  return m ? { ...fields, ...parsed(`{${m[1]}:${m[2]}"}`) } : fields
}

/** The first text that is not empty. */
function first(names: readonly string[], text: (name: string) => string): string {
  for (const name of names) {
    const found = text(name)
    if (found !== '') return found
  }
  return ''
}

/** A text or a list of words as one text; a script that a shell runs without the shell. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value.trim() === '' ? '' : value
  if (!Array.isArray(value) || !value.every((v): v is string => typeof v === 'string')) return ''
  const script = value.length === 3 && /^-l?c$/.test(value[1] ?? '')
  return script ? (value[2] ?? '') : value.join(' ')
}

/** The line of a patch that names a file. */
const FILE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm

/** The files of a patch and what becomes of each; "" if the text is no patch. */
function patchOf(text: string): string {
  if (!/^(?:apply_patch\b.*\s)?\s*\*\*\* Begin Patch/.test(text)) return ''
  return [...text.matchAll(FILE)].map(([, what = '', name = '']) => codingWords.patch(what, name.trim())).join(', ')
}

/** The step of a plan that is under way, else the next one, and how many are done; "" for no plan. */
function stepOf(plan: unknown): string {
  if (!Array.isArray(plan)) return ''
  const steps = plan.filter((s): s is Fields => typeof s === 'object' && s !== null)
  const done = steps.filter((s) => s['status'] === 'completed').length
  const at = steps.find((s) => s['status'] === 'in_progress') ?? steps.find((s) => s['status'] === 'pending')
  const text = at ? first(['step', 'content', 'description', 'subject'], (name) => textOf(at[name])) : ''
  if (steps.length === 0) return ''
  const how = codingWords.planDone(done, steps.length)
  return text === '' ? how : `${text} (${how})`
}

/** The questions that an agent asks a person. */
function questionOf(questions: unknown): string {
  if (!Array.isArray(questions)) return ''
  return questions
    .map((q) => textOf((q as Fields | null)?.['question']))
    .join(' ')
    .trim()
}

/** The texts, numbers and switches of an object, each with its name, also those further inside. */
function leaves(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, value]): string[] => {
    const list = textOf(value)
    if (list !== '') return [`${name}: ${list}`]
    if (typeof value === 'number' || typeof value === 'boolean') return [`${name}: ${value}`]
    return typeof value === 'object' && value !== null ? leaves(value as Fields) : []
  })
}
