// The clock of the director and of the second scene, which look at the drawn heroes: it calls them twice a second while
// the page is visible, all by one timer.
const EVERY_MS = 500

const calls = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** Starts the timer, or stops it while nobody needs it or nobody sees the page. */
function run(): void {
  clearInterval(timer)
  timer = calls.size === 0 || document.hidden ? undefined : setInterval(() => calls.forEach((f) => f()), EVERY_MS)
}

/** Calls f now, unless the page is hidden, and twice a second while it is visible, until the result is called. */
export function ticks(f: () => void): () => void {
  if (calls.size === 0) document.addEventListener('visibilitychange', run)
  calls.add(f)
  if (timer === undefined) run()
  if (!document.hidden) f()
  return () => {
    calls.delete(f)
    if (calls.size > 0) return
    document.removeEventListener('visibilitychange', run)
    run()
  }
}
