// The current time, for ages such as "3 min" and running times such as "42 s". All components share the timers.
import { signal } from '@preact/signals'

/** The times between two updates, in milliseconds. */
const AGES = 20_000
const SECONDS = 1_000

/**
 * Returns a function that returns the current time, and renders the component that calls it again every `every`
 * milliseconds. The time does not change while the page is hidden. The timer runs only while a component uses it.
 */
function clock(every: number): () => number {
  let timer: ReturnType<typeof setInterval> | undefined
  let used = false
  const now = signal(0, {
    watched: () => {
      used = true
      begin()
      document.addEventListener('visibilitychange', follow)
    },
    unwatched: () => {
      used = false
      clearInterval(timer)
      document.removeEventListener('visibilitychange', follow)
    },
  })
  const tick = () => (now.value = Date.now())
  const begin = () => {
    clearInterval(timer)
    if (document.visibilityState !== 'hidden') timer = setInterval(tick, every)
  }
  const follow = () => {
    if (document.visibilityState !== 'hidden') tick()
    begin()
  }
  return () => {
    if (!used) tick() // nobody has kept it up to date
    return now.value
  }
}

/** The current time, for ages in minutes. */
export const useNow = clock(AGES)

/** The current time, for running times in seconds. Only a small component should use it. */
export const useSeconds = clock(SECONDS)
