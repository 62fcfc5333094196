// The text that replaces a tool call's input which the server has not kept (P17.9). Pure.

/** The names of the files that git ignores, null for an input that was kept. */
export function ignoredFiles(input: string): string[] | null {
  if (!input.startsWith('{') || !input.includes('"withheld"')) return null
  try {
    const fields = JSON.parse(input) as { withheld?: unknown; file_path?: unknown; files?: unknown }
    if (typeof fields.withheld !== 'string') return null
    const files = Array.isArray(fields.files) ? fields.files : [fields.file_path]
    return files.filter((f) => typeof f === 'string')
  } catch {
    return null
  }
}
