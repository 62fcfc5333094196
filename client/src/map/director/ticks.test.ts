// The clock of the director and of the second scene.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ticks } from './ticks'

let hidden = false
/** The intervals of this length that run; components of other tests in this worker have intervals of other lengths. */
const running = new Set<unknown>()
const hide = (now: boolean): void => {
  hidden = now
  document.dispatchEvent(new Event('visibilitychange'))
}

beforeEach(() => {
  vi.useFakeTimers()
  running.clear()
  const [begin, end] = [setInterval, clearInterval]
  vi.spyOn(globalThis, 'setInterval').mockImplementation(((f: () => void, ms: number) => {
    const made = begin(f, ms)
    if (ms === 500) running.add(made)
    return made
  }) as typeof setInterval)
  vi.spyOn(globalThis, 'clearInterval').mockImplementation((id) => {
    running.delete(id)
    end(id)
  })
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden)
})

afterEach(() => {
  hidden = false
  vi.restoreAllMocks()
  vi.useRealTimers()
})

describe('the ticks', () => {
  it('come at once and then twice a second, by one timer for all', () => {
    const [one, other] = [vi.fn(), vi.fn()]
    const stops = [ticks(one), ticks(other)]
    expect([one.mock.calls.length, other.mock.calls.length, running.size]).toEqual([1, 1, 1])
    vi.advanceTimersByTime(1000)
    expect([one.mock.calls.length, other.mock.calls.length]).toEqual([3, 3])
    stops[0]!()
    vi.advanceTimersByTime(500)
    expect([one.mock.calls.length, other.mock.calls.length]).toEqual([3, 4])
    stops[1]!()
    expect(running.size).toBe(0)
  })

  it('need no timer while the page is hidden', () => {
    hide(true)
    const f = vi.fn()
    const stop = ticks(f)
    expect([f.mock.calls.length, running.size]).toEqual([0, 0])
    hide(false)
    vi.advanceTimersByTime(500)
    expect(f).toHaveBeenCalledTimes(1)
    hide(true)
    expect(running.size).toBe(0)
    stop()
    hide(false)
    expect(running.size).toBe(0)
  })
})
