// Who moves the camera: the person's choice is kept when they come back to the realm.
import { describe, expect, it } from 'vitest'
import { safeStorage } from './identity/storage'
import { memoryStorage } from './testing/storages'
import { Watching } from './watching'

const browser = () => safeStorage(() => memoryStorage())

describe('the camera of a realm', () => {
  it('stays in the hand of the person who comes back to it, and belongs to the director elsewhere', () => {
    const tab = memoryStorage()
    const w = new Watching(
      safeStorage(() => tab),
      browser(),
    )
    w.enter('a')
    expect(w.directed.value).toBe(true)
    w.take()
    w.enter('b')
    expect(w.directed.value).toBe(true)
    w.enter('a')
    expect(w.directed.value).toBe(false)
    const reloaded = new Watching(
      safeStorage(() => tab),
      browser(),
    )
    reloaded.enter('b')
    expect(reloaded.directed.value).toBe(true)
    reloaded.enter('a')
    expect(reloaded.directed.value).toBe(false)
  })

  it('belongs to the director again after a reload if the person then chose a hero to follow', () => {
    const stored = memoryStorage()
    const tab = safeStorage(() => stored)
    const w = new Watching(tab, browser())
    w.enter('a')
    w.take()
    w.follow('bard')
    const reloaded = new Watching(tab, browser())
    reloaded.enter('a')
    expect(reloaded.directed.value).toBe(true)
  })

  it('stays in hand in each realm where the person took it', () => {
    const tab = memoryStorage()
    const w = new Watching(
      safeStorage(() => tab),
      browser(),
    )
    for (const realm of ['a', 'b']) {
      w.enter(realm)
      w.take()
    }
    w.enter('c')
    w.action()
    const reloaded = new Watching(
      safeStorage(() => tab),
      browser(),
    )
    const directed = ['a', 'b', 'c'].map((realm) => {
      reloaded.enter(realm)
      return reloaded.directed.value
    })
    expect(directed).toEqual([false, false, true])
  })

  it('goes back to the director who is asked, also for the next visit', () => {
    const tab = memoryStorage()
    const w = new Watching(
      safeStorage(() => tab),
      browser(),
    )
    w.enter('a')
    w.take()
    w.action()
    w.enter('b')
    w.enter('a')
    expect(w.directed.value).toBe(true)
  })

  it('follows no hero of another realm', () => {
    const w = new Watching(browser(), browser())
    w.enter('a')
    w.follow('sage')
    w.enter('b')
    expect(w.hero.value).toBeNull()
    w.enter('a')
    expect([w.hero.value, w.directed.value]).toEqual([null, true])
  })

  it('remembers whom it followed until the person asks for something else', () => {
    const w = new Watching(browser(), browser())
    w.enter('a')
    w.follow('sage')
    w.take()
    w.take()
    expect([w.hero.value, w.left.value]).toEqual([null, 'sage'])
    w.action()
    expect(w.left.value).toBeNull()
  })
})

describe('the second scene', () => {
  it('is shown until a person closes it, and then stays closed', () => {
    const kept = memoryStorage()
    const open = () =>
      new Watching(
        browser(),
        safeStorage(() => kept),
      )
    const w = open()
    expect(w.second.value).toBe(true)
    w.setSecond(false)
    expect([w.second.value, open().second.value]).toEqual([false, false])
    w.setSecond(true)
    expect(open().second.value).toBe(true)
  })
})
