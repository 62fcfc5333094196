// Times as on the wire. Pure.

/** Compares times or ids as texts; null comes first. */
export function compareTimes(a: string | null, b: string | null): number {
  const [x, y] = [a ?? '', b ?? '']
  return x < y ? -1 : x > y ? 1 : 0
}
