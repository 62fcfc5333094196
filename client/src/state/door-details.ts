// The details of a permission question, from the input of the tool call. Pure.
import { ignoredFiles } from './ignored-files'

/** The parts of a tool call that a person needs for the answer. Missing parts are empty. */
export interface DoorDetails {
  command: string
  file: string
  before: string
  after: string
  /** What a command is for, in the words of the agent: Claude Code describes it, Codex justifies it. */
  why: string
  /** The whole input, if none of the other parts is known. */
  rest: string
  /** The ignored files because of which the server did not store the input; null if it stored the input. */
  ignored: readonly string[] | null
}

const FILES = ['file_path', 'filePath', 'path', 'notebook_path']

/** A summary of at least this many bytes may have been cut by the server. */
const CUT = 197

/**
 * The question as one text: the whole command if it is known, else the summary. A summary that may have been cut
 * ends with "…", because the missing end of a command can be dangerous. Paths below root, the linked folder, are
 * relative.
 */
export function askedFor(summary: string, d: Pick<DoorDetails, 'command'>, root = ''): string {
  if (d.command) return d.command
  return below(root, new TextEncoder().encode(summary).length < CUT ? summary : `${summary}…`)
}

function below(root: string, path: string): string {
  return root && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}

/** The details without what the question itself shows already; null if nothing is left. */
export function moreThan(line: string, d: DoorDetails, root = ''): DoorDetails | null {
  const more = { ...d, command: '', why: '', file: below(root, d.file) === line ? '' : d.file }
  return Object.values(more).some(Boolean) ? more : null
}

export function doorDetails(input: string): DoorDetails {
  const out: DoorDetails = { command: '', file: '', before: '', after: '', why: '', rest: '', ignored: null }
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(input) as Record<string, unknown>
  } catch {
    return { ...out, rest: input } // the server has cut the JSON off, so it cannot be parsed
  }
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '')
  const ignored = ignoredFiles(input)
  if (ignored) return { ...out, ignored }
  const command = fields.command ?? fields.cmd
  if (typeof command === 'string') out.command = command
  else if (Array.isArray(command)) out.command = command.join(' ')
  if (out.command) out.why = text('justification') || text('description')
  out.file = FILES.map(text).find(Boolean) ?? ''
  out.before = text('old_string')
  out.after = text('new_string') || text('content')
  if (!out.command && !out.file && !out.after && Object.keys(fields).length > 0)
    out.rest = JSON.stringify(fields, null, 2)
  return out
}
