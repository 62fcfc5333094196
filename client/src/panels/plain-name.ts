// Names where room is short. Pure.

// Small drawings made here, from the palette: severities and states told by shape
// first and colour second, and the shields that stand for members.

/** A name without its article, for where room is short: "The First Mate" is First Mate. */
export function plainName(name: string): string {
  return name.trim().replace(/^the\s+(?=\S)/i, '')
}
