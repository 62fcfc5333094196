import { describe, expect, it } from 'vitest'
import { addressOf, placeAt, type Place } from './place'

const at = (address: string) => {
  const [pathname = '', hash] = address.split('#')
  return placeAt({ pathname, hash: hash === undefined ? '' : `#${hash}` })
}

describe('addresses (P19.6)', () => {
  it.each<[Place, string]>([
    [{ kind: 'realm', realmId: 'r-1' }, '/r/r-1'],
    [{ kind: 'folder', realmId: 'r1', path: '' }, '/r/r1/d'],
    [{ kind: 'folder', realmId: 'r1', path: 'src/a b' }, '/r/r1/d/src/a%20b'],
    [{ kind: 'file', realmId: 'r1', path: 'src/main.go', line: 12 }, '/r/r1/f/src/main.go#L12'],
    [{ kind: 'file', realmId: 'r1', path: 'what?#%25.go', line: 0 }, '/r/r1/f/what%3F%23%2525.go'],
    [{ kind: 'file', realmId: 'r1', path: 'finding/t/d', line: 0 }, '/r/r1/f/finding/t/d'],
    [{ kind: 'finding', realmId: 'r1', id: 's-1' }, '/r/r1/finding/s-1'],
    [{ kind: 'result', realmId: 'r1', id: 'c1' }, '/r/r1/result/c1'],
    [{ kind: 'talk', realmId: 'r1', id: 'c1', seq: 0, messageId: '' }, '/r/r1/t/c1'],
    [{ kind: 'talk', realmId: 'r1', id: 'c1', seq: 40, messageId: 'm-9' }, '/r/r1/t/c1#m40-m-9'],
  ])('of %o', (place, address) => {
    expect(addressOf(place)).toBe(address)
    expect(at(address)).toEqual(place)
  })

  it.each([
    '/',
    '/r',
    '/r/',
    '/r//f/a',
    '/r/r1/f',
    '/r/r1/finding',
    '/r/r1/result',
    '/r/r1/finding/a/b',
    '/r/r1/x',
    '/r/a b',
    '/r/r1/f/%',
    '/x/r1',
    '/r/../f/a',
  ])('not %s', (address) => expect(at(address)).toBeNull())

  it('forgives a slash at the end and a fragment that names nothing', () => {
    expect(at('/r/r1/')).toEqual({ kind: 'realm', realmId: 'r1' })
    expect(at('/r/r1/f/a.go#top')).toMatchObject({ path: 'a.go', line: 0 })
    expect(at('/r/r1/f/a.go#L99999999999')).toMatchObject({ line: 0 })
  })
})
