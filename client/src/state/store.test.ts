import { effect } from '@preact/signals'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { info } from '../testing/samples'
import { Store } from './store'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('draws at once after a pause, then no more often than it may, and the last always', () => {
  const store = new Store(30)
  const drawn: (number | undefined)[] = []
  effect(() => void drawn.push(store.model.server?.seq))
  for (let seq = 1; seq <= 5; seq++) {
    store.take(info({ seq }))
    store.publish()
  }
  expect(drawn).toEqual([undefined, 1])
  vi.advanceTimersByTime(30)
  expect(drawn).toEqual([undefined, 1, 5])
  vi.advanceTimersByTime(30)
  store.take(info({ seq: 6 }))
  store.publish()
  expect(drawn).toEqual([undefined, 1, 5, 6])
})
