// What each type of frame does, as a table: one entry a type, each with the type's own fields. Pure.

/** A type that is left out changes nothing. */
export type ByType<Frame extends { type: string }, T> = {
  readonly [K in Frame['type']]?: (t: T, frame: Extract<Frame, { type: K }>) => T
}

export function applyByType<Frame extends { type: string }, T>(table: ByType<Frame, T>, t: T, frame: Frame): T {
  const type = frame.type as Frame['type']
  // The table's type pairs each entry with its frame, which a look-up by a union cannot say.
  const change = Object.hasOwn(table, type) ? (table[type] as ((t: T, frame: Frame) => T) | undefined) : undefined
  return change ? change(t, frame) : t
}
