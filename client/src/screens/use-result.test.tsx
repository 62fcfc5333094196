// The address of a process's result (P19.6).
import { describe, expect, it } from 'vitest'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { barAt, type Bar } from '../testing/address-bar'

async function at(bar: Bar, status: 'completed' | 'running' = 'completed'): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage(), 'desk', null, bar)
  greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, running(50, { status }), [view()]), overlays(), seated)
  await drawn()
  return p
}

const RESULT = '/r/r1/result/c1'

describe('the address of a result', () => {
  it('opens it, also after the person has closed it, and going back to the map leaves it', async () => {
    const bar = barAt('/r/r1')
    const p = await at(bar)
    find(p, 'keep-reading').click()
    await drawn()
    expect(has(p, 'completion')).toBe(false)
    bar.goTo(RESULT)
    await drawn()
    expect(has(p, 'completion')).toBe(true)
    find(p, 'keep-reading').click()
    await drawn()
    expect([has(p, 'completion'), bar.read().pathname]).toEqual([false, '/r/r1'])
  })

  it('leads to the talk where the realm has no such result', async () => {
    const running = await at(barAt(RESULT), 'running')
    expect(has(running, 'completion')).toBe(false)
    expect(find(running, 'conversation').dataset['kind']).toBe('process')
    const other = await at(barAt('/r/r1/result/c0'))
    expect(other.net.last.ofType('conversation.open')).toMatchObject([{ conversationId: 'c0' }])
  })
})
