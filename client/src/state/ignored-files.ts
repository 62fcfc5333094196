// Recognizes the text by which the server replaces the input of a tool call that it does not store (P17.9). Pure.

/** The names of the ignored files in input, which the server sends for a tool call; null if the input was stored. */
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
