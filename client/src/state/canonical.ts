// Converts the page's world to the form in which it can be compared with the server's world: keys are sorted, and
// values that Go's encoder omits are left out (null, "", 0, false, empty lists and objects).

/** The canonical form of a JSON value. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((v) => canonical(v) ?? null)
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .map(([k, v]) => [k, canonical(v)] as const)
      .filter(([, v]) => v !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return undefined
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new Error(`${value} is not an integer below 2^53`)
  return value
}

/** The canonical form as text, for comparing values. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(canonical(value) ?? null)
}
