// Moments as they stand on the wire. Pure.

/** Sorts moments and ids as texts; what is not known comes first. */
export function inOrderOfTime(a: string | null, b: string | null): number {
  const [x, y] = [a ?? '', b ?? '']
  return x < y ? -1 : x > y ? 1 : 0
}
