// The address of a process's result (P19.6).
import { describe, expect, it } from 'vitest'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import type { World } from '../net/protocol.gen'
import { info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { barAt, type Bar } from '../testing/address-bar'

async function at(bar: Bar, status: 'completed' | 'running' = 'completed', over: Partial<World> = {}): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage(), 'desk', null, bar)
  greet(
    p.net.last,
    info(),
    welcomeSnapshot(50),
    snapshot(50, { ...running(50, { status }), ...over }, [view()]),
    overlays(),
    seated,
  )
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

  it('does not say that a review found nothing if a later one has taken over its findings', async () => {
    const made = { stageId: 'ideas', agentId: '', text: 'the report', at: '2026-01-01T10:00:00Z', processId: 'c2' }
    const artifacts = [{ ...made, id: 'a1', name: 'final_report', coverage: { languages: [], general: [] } }]
    const taken = { id: 'f1', agentId: 'sage', severity: 'low' as const, title: 't', text: 't', path: 'a.go' }
    const findings = [{ ...taken, processId: 'c3', at: '2026-01-01T11:00:00Z' }]
    const p = await at(barAt('/r/r1/result/c2'), 'completed', { artifacts, findings })
    const head = find(p, 'completion').querySelector('header')?.textContent
    expect(head).toContain('a later review has taken over the findings')
    expect(head).not.toContain('0 findings')
    expect(has(p, 'export-sarif')).toBe(false)
  })

  it('leads to the talk where the realm has no such result', async () => {
    const running = await at(barAt(RESULT), 'running')
    expect(has(running, 'completion')).toBe(false)
    expect(find(running, 'conversation').dataset['kind']).toBe('process')
    const other = await at(barAt('/r/r1/result/c0'))
    expect(other.net.last.ofType('conversation.open')).toMatchObject([{ conversationId: 'c0' }])
  })
})
