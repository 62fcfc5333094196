// How long to wait before trying again (S4-B7): 450 ms, doubled with each
// failure up to 12 s, and up to 250 ms more so that a thousand pages do not come
// back in the same instant.
const FIRST_MS = 450
const MOST_MS = 12_000
const JITTER_MS = 250

/** failures counts from 0; random gives [0, 1). */
export function backoff(failures: number, random: () => number): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 30)) + random() * JITTER_MS
}
