// The age of a coding agent's state, beside a clock that the test moves.
import { render } from 'preact'
import { afterEach, expect, it, vi } from 'vitest'
import { AT } from '../testing/samples'
import { AgentAge } from './agent-age'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('grows while the page is visible, and stands still while it is hidden', async () => {
  vi.useFakeTimers({ now: Date.parse(AT) + 60_000 })
  const begun = vi.spyOn(globalThis, 'setInterval')
  const ended = vi.spyOn(globalThis, 'clearInterval')
  /** The number of intervals that are not cleared. Other timers, such as those of seconds, are not the component's. */
  const running = () => {
    const cleared = new Set(ended.mock.calls.map(([timer]) => timer))
    const ages = begun.mock.results.filter((_, i) => begun.mock.calls[i]?.[1] !== 1000)
    return ages.filter((r) => !cleared.has(r.value as never)).length
  }
  const at = document.createElement('div')
  const hidden = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
  render(<AgentAge since={AT} />, at)
  await vi.advanceTimersByTimeAsync(65_000)
  expect(at.textContent).toBe(' ·\u00a0for 2 min')
  expect(running()).toBe(1)
  hidden.mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  expect(running()).toBe(0)
  await vi.advanceTimersByTimeAsync(600_000)
  hidden.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  await vi.advanceTimersByTimeAsync(1000)
  expect(at.textContent).toBe(' ·\u00a0for 12 min')
  expect(running()).toBe(1)
  render(null, at)
  await vi.advanceTimersByTimeAsync(1000)
  expect(running()).toBe(0)
})
