// Addresses that lead to nothing: the page says what is not there, and stops saying it at the next place.
import { describe, expect, it } from 'vitest'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { barAt, type Bar } from '../testing/address-bar'

async function at(bar: Bar): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage(), 'desk', null, bar)
  greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, running(50), [view()]), overlays(), seated)
  await drawn()
  return p
}

async function refuse(p: Page, type: 'map:room' | 'conversation.open', message: string): Promise<void> {
  const asked = p.net.last.sent.filter((f) => f.type === type).at(-1)
  p.net.last.say({ type: 'error', requestId: asked?.requestId, code: 'not_found', message })
  await drawn()
}

describe('an address that leads to nothing', () => {
  it('says that there is no such finding, until the next place', async () => {
    const bar = barAt('/r/r1/finding/s-000')
    const p = await at(bar)
    expect(find(p, 'dead-finding').textContent).toContain('There is no finding s-000 in this realm.')
    bar.goTo('/r/r1')
    await drawn()
    expect(has(p, 'dead-finding')).toBe(false)
  })

  it('says that there is no such folder', async () => {
    const p = await at(barAt('/r/r1/d/nope'))
    await refuse(p, 'map:room', 'there is no such folder on the map; it may have been moved or is ignored')
    expect(p.root.textContent).toContain('There is no folder nope on the map, or not any more.')
  })

  it('says that there is no such conversation, until the next place or the next visit', async () => {
    const bar = barAt('/r/r1/t/nosuch')
    const p = await at(bar)
    await refuse(p, 'conversation.open', 'this realm has no conversation nosuch')
    expect(find(p, 'talk-loading').textContent).toMatch(/^This realm has no conversation nosuch\. The link may/)
    expect(p.browser.getItem('agentDungeon.conversation.r1')).toBeNull()
    bar.goTo('/r/r1')
    await drawn()
    expect(has(p, 'talk-loading')).toBe(false)
    expect(find(p, 'conversation').dataset['conversation']).toBe('c1')
  })
})
