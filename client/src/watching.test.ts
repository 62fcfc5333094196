// Who moves the camera: the person's choice is kept when they come back to the realm.
import { describe, expect, it } from 'vitest'
import { safeStorage } from './identity/storage'
import { memoryStorage } from './testing/storages'
import { Watching } from './watching'

describe('the camera of a realm', () => {
  it('stays in the hand of the person who comes back to it, and belongs to the director elsewhere', () => {
    const tab = memoryStorage()
    const w = new Watching(safeStorage(() => tab))
    w.enter('a')
    expect(w.directed.value).toBe(true)
    w.take()
    w.enter('b')
    expect(w.directed.value).toBe(true)
    w.enter('a')
    expect(w.directed.value).toBe(false)
    const reloaded = new Watching(safeStorage(() => tab))
    reloaded.enter('b')
    expect(reloaded.directed.value).toBe(true)
    reloaded.enter('a')
    expect(reloaded.directed.value).toBe(false)
  })

  it('goes back to the director who is asked, also for the next visit', () => {
    const tab = memoryStorage()
    const w = new Watching(safeStorage(() => tab))
    w.enter('a')
    w.take()
    w.action()
    w.enter('b')
    w.enter('a')
    expect(w.directed.value).toBe(true)
  })

  it('follows no hero of another realm', () => {
    const w = new Watching(safeStorage(() => memoryStorage()))
    w.enter('a')
    w.follow('sage')
    w.enter('b')
    expect(w.hero.value).toBeNull()
    w.enter('a')
    expect([w.hero.value, w.directed.value]).toEqual([null, true])
  })
})
