import { expect, it } from 'vitest'
import { addressOf, type Place } from './place'
import { Places, type AddressBar, type Steps } from './places'

/** A browser's history in memory. */
class Bar implements AddressBar {
  entries: string[]
  at = 0
  reloads = 0
  #steps: (Steps | undefined)[] = [undefined]
  #moved: () => void = () => undefined

  constructor(address: string) {
    this.entries = [address]
  }

  read = () => {
    const url = new URL(this.entries[this.at] ?? '', 'http://host')
    return { origin: url.origin, pathname: url.pathname, hash: url.hash, steps: this.#steps[this.at] }
  }
  push = (address: string, steps?: Steps) => {
    this.entries.splice(++this.at, Infinity, address)
    this.#steps.splice(this.at, Infinity, steps)
  }
  replace = (address: string) => {
    this.entries[this.at] = address
  }
  back = (by: number) => this.move(-by)
  reload = () => void this.reloads++
  onMove = (moved: () => void) => {
    this.#moved = moved
  }
  move(by: number): void {
    this.at += by
    this.#moved()
  }
}

const file = (path: string, line = 0): Place => ({ kind: 'file', realmId: 'r1', path, line })

it('a page that opens at an address goes there once its realm is shown', () => {
  const places = new Places(new Bar('/r/r1/f/a.go#L3'))
  expect(places.wantedRealm).toBe('r1')
  expect(places.file.value).toBeNull()
  places.entered('r1')
  expect(places.file.value).toEqual({ path: 'a.go', line: 3 })
  expect(places.arrived.value?.place).toEqual(file('a.go', 3))
  expect(places.wantedRealm).toBeNull()
})

it('without an address the realm gets one, and no entry of the history is lost', () => {
  const bar = new Bar('/')
  const places = new Places(bar)
  places.entered('r1')
  expect(bar.entries).toEqual(['/r/r1'])
  expect(places.arrived.value).toBeNull()
})

it('back and forward lead through what was opened', () => {
  const bar = new Bar('/')
  const places = new Places(bar)
  places.entered('r1')
  places.open('a.go', 3)
  places.go({ kind: 'folder', realmId: 'r1', path: 'src' })
  places.go({ kind: 'folder', realmId: 'r1', path: 'src' })
  expect(bar.entries).toEqual(['/r/r1', '/r/r1/f/a.go#L3', '/r/r1/d/src'])
  bar.move(-1)
  expect(places.file.value).toEqual({ path: 'a.go', line: 3 })
  bar.move(-1)
  expect(places.arrived.value).toEqual({
    place: { kind: 'realm', realmId: 'r1' },
    from: { kind: 'folder', realmId: 'r1', path: 'src' },
  })
  bar.move(1)
  expect(places.file.value?.path).toBe('a.go')
})

it('closing a file leads to where the person was, also without a history', () => {
  const bar = new Bar('/')
  const places = new Places(bar)
  places.entered('r1')
  places.go({ kind: 'folder', realmId: 'r1', path: 'src' })
  places.open('a.go')
  places.close()
  expect(bar.read().pathname).toBe('/r/r1/d/src')
  expect(places.at.value).toEqual({ kind: 'folder', realmId: 'r1', path: 'src' })

  const fresh = new Bar('/r/r1/f/a.go')
  const tab = new Places(fresh)
  tab.entered('r1')
  tab.close()
  expect(fresh.entries).toEqual(['/r/r1'])
  expect(tab.file.value).toBeNull()
})

it('another line changes the address and makes no entry', () => {
  const bar = new Bar('/r/r1/f/a.go')
  const places = new Places(bar)
  places.entered('r1')
  places.mark(7)
  expect(bar.entries).toEqual(['/r/r1/f/a.go#L7'])
  expect(places.file.value).toEqual({ path: 'a.go', line: 7 })
  expect(places.linkTo(file('a.go', 7))).toBe(`http://host${addressOf(file('a.go', 7))}`)
})

it('another realm of the history is loaded anew; outside of realms the page says where the person went', () => {
  const bar = new Bar('/')
  const places = new Places(bar)
  const returned: (string | null)[] = []
  places.onReturn = (realmId) => returned.push(realmId)
  places.entered('r1')
  bar.push('/r/r2')
  bar.push('/r/r1/d/x')
  bar.move(-1)
  expect(bar.reloads).toBe(1)
  bar.move(-1)
  places.left()
  expect(bar.read().pathname).toBe('/')
  bar.move(-1)
  expect(returned).toEqual(['r1'])
})

it('closing a file closes the files before it, too, and one step back leads to the one before', () => {
  const bar = new Bar('/')
  const places = new Places(bar)
  places.entered('r1')
  places.go({ kind: 'folder', realmId: 'r1', path: 'src' })
  for (const path of ['a.go', 'b.go', 'c.go']) places.open(path)
  expect(places.hasPreviousFile.value).toBe(true)
  places.previousFile()
  expect(places.file.value?.path).toBe('b.go')
  bar.move(-1)
  expect([places.file.value?.path, places.hasPreviousFile.value]).toEqual(['a.go', false])
  places.previousFile()
  expect(places.file.value?.path).toBe('a.go')
  bar.move(2)
  expect([places.file.value?.path, places.hasPreviousFile.value]).toEqual(['c.go', true])
  places.close()
  expect([places.file.value, bar.at]).toEqual([null, 1])
  expect(places.at.value).toEqual({ kind: 'folder', realmId: 'r1', path: 'src' })
})

it('closing files that a link opened leads to the realm', () => {
  const bar = new Bar('/r/r1/f/a.go')
  const places = new Places(bar)
  places.entered('r1')
  places.open('b.go')
  places.close()
  expect([places.file.value, bar.entries[bar.at]]).toEqual([null, '/r/r1'])
})
