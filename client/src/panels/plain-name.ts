// Short forms of names. Pure.

/** A name without its article: "First Mate" for "The First Mate". */
export function plainName(name: string): string {
  return name.trim().replace(/^the\s+(?=\S)/i, '')
}
