// The delay before the next try to connect (S4-B7): 450 ms, doubled with each failure up to 12 s, plus up to 250 ms so
// that many pages do not reconnect at the same time.
const FIRST_MS = 450
const MAX_MS = 12_000
const JITTER_MS = 250

/** failures counts from 0; random returns a number in [0, 1). */
export function backoff(failures: number, random: () => number): number {
  return Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures, 30)) + random() * JITTER_MS
}
