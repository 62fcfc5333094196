// Tables that have a reducer for each type of frame. Pure.

/** A table of reducers. A frame whose type has no entry changes nothing. */
export type ByType<Frame extends { type: string }, T> = {
  readonly [K in Frame['type']]?: (t: T, frame: Extract<Frame, { type: K }>) => T
}

export function applyByType<Frame extends { type: string }, T>(table: ByType<Frame, T>, t: T, frame: Frame): T {
  const type = frame.type as Frame['type']
  // The type system cannot express that the entry and the frame have the same type.
  const change = Object.hasOwn(table, type) ? (table[type] as ((t: T, frame: Frame) => T) | undefined) : undefined
  return change ? change(t, frame) : t
}
