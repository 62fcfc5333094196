// S3-08, S3-19, P5.14: what the browser stores, and what happens when it stores nothing.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { denied, full, memoryStorage } from '../testing/storages'
import { Drafts } from './drafts'
import { HUES, IdentityKeeper, isColor, isName } from './identity'
import { safeStorage } from './storage'
import { freeColor } from './suggest'
import { ASK_MS, Tab, type Channel } from './tab'

describe('storage', () => {
  it('uses the names of the contract (S3-08)', () => {
    const storage = memoryStorage()
    const keeper = new IdentityKeeper(safeStorage(() => storage))
    keeper.setIdentity({ name: 'Ann', color: '#4fb8a3' })
    keeper.entered('r1')
    expect(storage.getItem('agentDungeon.identity')).toBe('{"name":"Ann","color":"#4fb8a3"}')
    expect(storage.getItem('agentDungeon.realmId')).toBe('r1')
    expect(storage.getItem('agentDungeon.gamePhase')).toBe('playing')
    keeper.left()
    expect(storage.getItem('agentDungeon.gamePhase')).toBe('onboarding')
    expect(keeper.realmId()).toBe('r1')
    keeper.setSeat('s')
    expect(storage.getItem('agentDungeon.seat')).toBe('s')
  })

  it.each<[string, () => Storage]>([
    ['denied', denied],
    ['full', () => full()],
  ])('that is %s is replaced by memory for as long as the tab lives', (_, storage) => {
    const keeper = new IdentityKeeper(safeStorage(storage))
    expect(keeper.identity()).toBeNull()
    keeper.setIdentity({ name: 'Ann', color: '#4fb8a3' })
    keeper.entered('r1')
    expect(keeper.identity()).toEqual({ name: 'Ann', color: '#4fb8a3' })
    expect([keeper.realmId(), keeper.phase()]).toEqual(['r1', 'playing'])
    const drafts = new Drafts(safeStorage(storage))
    drafts.set('problem', 'x')
    expect(drafts.get('problem')).toBe('x')
    drafts.set('problem', '')
    expect(drafts.get('problem')).toBe('')
  })

  it('never reads an older form of what could not be written', () => {
    const storage = full({ 'agentDungeon.realmId': 'old' })
    const keeper = new IdentityKeeper(safeStorage(() => storage))
    keeper.entered('new')
    expect(keeper.realmId()).toBe('new')
  })

  it.each([
    '',
    'x',
    '7',
    'null',
    '{}',
    '{"name":"Ann"}',
    '{"name":"","color":"#4fb8a3"}',
    '{"name":"Ann","color":"red"}',
    '{"name":["a"],"color":"#4fb8a3"}',
  ])('reads a damaged identity %j as nobody (S3-19)', (text) => {
    const storage = memoryStorage({ 'agentDungeon.identity': text })
    expect(new IdentityKeeper(safeStorage(() => storage)).identity()).toBeNull()
  })

  it('keeps a draft for each realm', () => {
    const drafts = new Drafts(safeStorage(() => memory))
    const memory = memoryStorage()
    drafts.set('prompt.r1', 'half a sent')
    drafts.set('prompt.r2', 'other')
    expect(new Drafts(safeStorage(() => memory)).get('prompt.r1')).toBe('half a sent')
    expect(memory.getItem('agentDungeon.draft.prompt.r1')).toBe('half a sent')
    drafts.set('prompt.r1', '')
    expect(memory.getItem('agentDungeon.draft.prompt.r1')).toBeNull()
  })
})

describe('names and colours', () => {
  it.each(['A', 'Ann', '🐉'.repeat(40), '<img src=x onerror=alert(1)>', 'a'.repeat(40)])('%j is a name', (n) =>
    expect(isName(n)).toBe(true),
  )
  it.each(['', ' ', 'a'.repeat(41), '🐉'.repeat(41), 'a\nb', 'a\u0000', 'a\u202eb', 'a\u2066b'])('%j is none', (n) =>
    expect(isName(n)).toBe(false),
  )
  it('offers eight colours that the server takes', () => {
    expect(new Set(HUES).size).toBe(8)
    expect(HUES.every(isColor)).toBe(true)
  })
})

/** The BroadcastChannels of one browser. Messages are delivered later, as in a browser. */
class Air {
  readonly all: Ear[] = []
  join(): Channel {
    const ear = new Ear(this)
    this.all.push(ear)
    return ear
  }
}
class Ear implements Channel {
  onmessage: ((event: { data: unknown }) => void) | null = null
  constructor(readonly air: Air) {}
  postMessage(data: unknown): void {
    for (const other of this.air.all)
      if (other !== this) setTimeout(() => other.onmessage?.({ data: structuredClone(data) }), 1)
  }
}

describe('the tab', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  let n = 0
  const newId = () => `id${++n}`
  const settle = async <T>(p: Promise<T>): Promise<T> => {
    await vi.advanceTimersByTimeAsync(ASK_MS)
    return p
  }

  it('keeps its id over a reload, without asking around', async () => {
    const storage = memoryStorage()
    const kept = safeStorage(() => storage)
    const first = await Tab.claim(kept, new Air().join(), newId)
    first.close()
    const again = await Tab.claim(kept, new Air().join(), newId)
    expect(again.id).toBe(first.id)
    expect(again.copied).toBe(false)
  })

  it('a duplicated tab takes an id of its own', async () => {
    const air = new Air()
    const storage = memoryStorage()
    const original = await Tab.claim(
      safeStorage(() => storage),
      air.join(),
      newId,
    )
    const copy = memoryStorage(
      Object.fromEntries(
        ['tab', 'tabOpen'].map((k) => [`agentDungeon.${k}`, storage.getItem(`agentDungeon.${k}`) ?? '']),
      ),
    )
    const second = await settle(
      Tab.claim(
        safeStorage(() => copy),
        air.join(),
        newId,
      ),
    )
    expect(second.copied).toBe(true)
    expect(second.id).not.toBe(original.id)
    const third = memoryStorage({ 'agentDungeon.tab': second.id, 'agentDungeon.tabOpen': '1' })
    expect(
      (
        await settle(
          Tab.claim(
            safeStorage(() => third),
            air.join(),
            newId,
          ),
        )
      ).copied,
    ).toBe(true)
  })

  it('a tab that crashed keeps its id: nobody else claims it', async () => {
    const crashed = memoryStorage({ 'agentDungeon.tab': 'mine', 'agentDungeon.tabOpen': '1' })
    const tab = await settle(
      Tab.claim(
        safeStorage(() => crashed),
        new Air().join(),
        newId,
      ),
    )
    expect([tab.id, tab.copied]).toEqual(['mine', false])
    const alone = await Tab.claim(
      safeStorage(() => crashed),
      null,
      newId,
    )
    expect(alone.id).toBe('mine')
  })

  it('renews, and keeps the new id', async () => {
    const storage = memoryStorage()
    const tab = await Tab.claim(
      safeStorage(() => storage),
      null,
      newId,
    )
    const old = tab.id
    tab.renew()
    expect(tab.id).not.toBe(old)
    expect(storage.getItem('agentDungeon.tab')).toBe(tab.id)
  })
})

it('a suggested colour that somebody has is replaced by the next free one, as long as there is one', () => {
  expect(freeColor(HUES[1], [])).toBe(HUES[1])
  expect(freeColor(HUES[7], [HUES[7], HUES[0]])).toBe(HUES[1])
  expect(freeColor(HUES[2], HUES)).toBe(HUES[2])
})
