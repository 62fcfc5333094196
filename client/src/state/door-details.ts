// What an agent exactly asks for, taken from the input of its tool call. Pure.
import { ignoredFiles } from './ignored-files'

/** What a call does, in the parts that a person reads. Parts that it does not have are empty. */
export interface DoorDetails {
  command: string
  file: string
  before: string
  after: string
  /** The whole input, if none of the other parts is known. */
  rest: string
  /** The files whose content is not kept, because git ignores them; null if the input was kept. */
  ignored: readonly string[] | null
}

const FILES = ['file_path', 'filePath', 'path', 'notebook_path']

/** The length in bytes from which the server may have cut a summary. */
const CUT = 197

/**
 * What is asked, in one text: the whole command, else the summary. A command that was cut may look harmless where its
 * end is not, so a summary that may have been cut ends with "…". A path below root, the linked folder, is relative.
 */
export function askedFor(summary: string, d: DoorDetails, root = ''): string {
  if (d.command) return d.command
  return below(root, new TextEncoder().encode(summary).length < CUT ? summary : `${summary}…`)
}

function below(root: string, path: string): string {
  return root && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}

/** Leaves out what the line of the question says already; null if nothing is left. */
export function moreThan(line: string, d: DoorDetails, root = ''): DoorDetails | null {
  const more = { ...d, command: '', file: below(root, d.file) === line ? '' : d.file }
  return Object.values(more).some(Boolean) ? more : null
}

export function doorDetails(input: string): DoorDetails {
  const out: DoorDetails = { command: '', file: '', before: '', after: '', rest: '', ignored: null }
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(input) as Record<string, unknown>
  } catch {
    return { ...out, rest: input } // the server has shortened it
  }
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '')
  const ignored = ignoredFiles(input)
  if (ignored) return { ...out, ignored }
  const command = fields.command ?? fields.cmd
  if (typeof command === 'string') out.command = command
  else if (Array.isArray(command)) out.command = command.join(' ')
  out.file = FILES.map(text).find(Boolean) ?? ''
  out.before = text('old_string')
  out.after = text('new_string') || text('content')
  if (!out.command && !out.file && !out.after && Object.keys(fields).length > 0)
    out.rest = JSON.stringify(fields, null, 2)
  return out
}
