// The names and bubbles over the drawing: beside which hero a bubble stands, and which names a full room shows.
import { describe, expect, it } from 'vitest'
import type { Collision, Fort, MapChange, Room, RoomObject, Site } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { bubbleBox } from './bubble-place'
import { openHouses } from './dollhouse'
import { inside, type HeroNow } from './heroes-now'
import { pickCountry } from './picking'
import { countryTags, roomTags } from './tags'
import { nameWidth } from './thing-names'
import type { Box, Detail, Screen } from './view'

const screen = { width: 4000, height: 4000 }
const project = (x: number, y: number) => ({ x: x * 32, y: y * 32 })

describe('a house with an open roof', () => {
  const site: Site = { path: 'src', name: 'src', x: 10, y: 10, width: 5, height: 5, doorX: 12, doorY: 15, files: 9 }
  const keep: Site = { ...site, path: '', name: 'x', x: 30, doorX: 32 }
  const hero = (id: string, room: string, says?: string): HeroNow =>
    ({ id, name: id, color: '#fff', x: 3, y: 3, room, lit: true, says, file: `${room}/a.go` }) as HeroNow
  const tagsOf = (heroes: HeroNow[], zoom: number) => {
    const sites = [keep, site]
    const open = openHouses(sites, heroes, zoom).flatMap((h) => h.heroes)
    const realm = {
      world: { realm: { name: 'x' }, country: { sites }, forts: [], agents: [], collisions: [] as Collision[] },
    } as unknown as RealmModel
    return { open, tags: countryTags(realm, heroes, inside(heroes, sites), 'middle', project, screen, open) }
  }

  it('has the bubbles at the heroes in it, and each hero can be clicked', () => {
    const { open, tags } = tagsOf([hero('ann', 'src', 'I read.'), hero('bob', 'src/deep')], 2)
    const ann = open.find((h) => h.id === 'ann')!
    const said = tags.filter((t) => t.kind === 'speech')
    expect(said).toMatchObject([{ text: 'I read.', x: (ann.x + 0.5) * 32 }])
    for (const h of open)
      expect(pickCountry([keep, site], [], open, h.x + 0.5, h.y + 0.2)).toEqual({ kind: 'hero', id: h.id })
  })
  it('has the bubble of who is in it at the house while the roof is closed, also in the keep', () => {
    expect(tagsOf([hero('ann', 'src', 'I read.')], 0.5).tags.filter((t) => t.kind === 'speech')).toMatchObject([
      { text: 'ann: I read.', x: 12.5 * 32 },
    ])
    expect(tagsOf([hero('ann', 'rare', 'I read.')], 0.5).tags.filter((t) => t.kind === 'speech')).toMatchObject([
      { text: 'ann: I read.', x: 32.5 * 32 },
    ])
  })
})

describe('the names of heroes that stand together', () => {
  it('are one below the other at every position', () => {
    const realm = { world: { realm: { name: 'x' }, country: { sites: [] }, forts: [], agents: [] } }
    for (let i = 0; i < 500; i++) {
      const at = (x: number, y: number) => ({ x: x * 32 + 100, y: y * 32 + i * 1.37 }) // a sum may be rounded down
      const heroes = ['ann', 'bob'].map((id) => ({ id, name: id, color: '#fff', x: 1, y: 1, room: null }) as HeroNow)
      const ys = countryTags(realm as unknown as RealmModel, heroes, new Map(), 'near', at, screen).map((t) => t.y)
      expect(ys).toHaveLength(2)
      expect(Math.abs(ys[0]! - ys[1]!)).toBeCloseTo(20)
    }
  })
})

describe('the name of a hero that walks past another', () => {
  const realm = { world: { realm: { name: 'x' }, country: { sites: [] }, forts: [], agents: [] } }
  const at = (x: number, y: number) => ({ x: x * 32 + 300, y: y * 32 + 300 })
  const shown = (y: number, moving: boolean) => {
    const heroes = [
      { id: 'ann', name: 'ann', color: '#fff', x: 1, y: 1, room: null, moving },
      { id: 'bob', name: 'bob', color: '#fff', x: 1, y, room: null, moving: true },
    ] as HeroNow[]
    return countryTags(realm as unknown as RealmModel, heroes, new Map(), 'near', at, screen).map((t) => t.text)
  }

  it('does not cover the other, whether that stands or walks', () => {
    expect(shown(-0.5, false)).toEqual(['ann'])
    expect(shown(-0.5, true)).toEqual(['ann'])
  })

  it('is there before and after', () => {
    expect(shown(-3, false)).toEqual(['ann', 'bob'])
    expect(shown(5, true)).toEqual(['ann', 'bob'])
  })
})

describe('the bubble of a hero that speaks', () => {
  const speaker = { left: 100, right: 132, top: 100, bottom: 170, foot: 188 }
  const place = (...others: Box[]) => bubbleBox(speaker, () => ({ width: 60, height: 28 }), screen, others)

  it('stands above it, unless that covers another hero', () => {
    expect(place()).toMatchObject({ left: 86, bottom: 100 })
    const above = { left: 100, right: 132, top: 20, bottom: 90 }
    expect(place(above)).toMatchObject({ left: 136, bottom: 170 })
    const right = { left: 140, right: 172, top: 100, bottom: 170 }
    expect(place(above, right)).toMatchObject({ right: 96, bottom: 170 })
  })

  it('stays above it if every other place covers a hero, too', () => {
    expect(place({ left: 0, right: 300, top: 0, bottom: 300 })).toMatchObject({ left: 86, bottom: 100 })
  })
})

describe('a camp', () => {
  const fort = { agentId: 'ann', name: 'Ann', color: '#fff', biome: 'hills', stage: 1, x: 10, y: 10 } as Fort
  const world = { realm: { name: 'x' }, country: { sites: [] }, forts: [fort], agents: [], processState: {} }
  const realm = { world, agentLabels: [], views: {}, heads: {} }
  const names = (x: number, lod: Detail, over: Partial<HeroNow> = {}, of: object = realm) => {
    const hero = { id: 'ann', name: 'Ann', color: '#fff', x, y: 13, room: null, lit: true, ...over } as HeroNow
    return countryTags(of as unknown as RealmModel, [hero], new Map(), lod, project, screen).map((t) => t.text)
  }

  const tagsAt = (x: number) => {
    const there = { ...realm, world: { ...world, forts: [{ ...fort, x }] } } as unknown as RealmModel
    return countryTags(there, [], new Map(), 'middle', project, screen).map((t) => t.x)
  }

  it('says whose it is', () => {
    expect(names(11, 'middle')).toEqual(['Camp of Ann'])
    expect(names(11, 'far')).toEqual([])
  })
  it('has the name that its hero has now', () => {
    const renamed = { ...realm, agentLabels: [{ id: 'ann', name: 'Anna', color: '#fff' }] }
    expect(names(11, 'middle', {}, renamed)).toEqual(['Camp of Anna'])
  })
  it('has its whole name at the edge of the screen', () => {
    const [x] = tagsAt(0)
    expect(x).toBeGreaterThanOrEqual('Camp of Ann'.length * 3.5)
    const [right] = tagsAt(24)
    expect(right).toBeLessThanOrEqual(screen.width - 'Camp of Ann'.length * 3.5)
    expect(tagsAt(-9)).toEqual([])
  })
  it('has no name whose rest the edge of the screen would cut off', () => {
    const whole = 'Camp of Ann'.length * 3.5
    for (let x = -6; x < 0; x += 0.25) for (const at of tagsAt(x)) expect(at).toBeGreaterThanOrEqual(whole)
  })
  it('is not named beside its hero, whose name stands there', () => {
    expect(names(11, 'near')).toEqual(['Ann'])
    expect(names(30, 'near')).toEqual(expect.arrayContaining(['Ann', 'Camp of Ann']))
    expect(names(13, 'near', { id: 'bob', name: 'Bob' })).toEqual(expect.arrayContaining(['Bob', 'Camp of Ann']))
    expect(names(11, 'near', { room: 'src' })).toEqual(['Camp of Ann'])
  })
})

describe('a full room', () => {
  const file = (name: string, x: number, y: number, over: Partial<RoomObject> = {}): RoomObject => ({
    id: name,
    kind: 'file',
    name,
    path: name,
    language: 'Go',
    x,
    y,
    ...over,
  })
  const room = (objects: RoomObject[], height = 9): MapChange => {
    const parts = [{ kind: 'file', language: 'Go', x: 1, y: 1, width: 42, height }]
    return { room: { width: 44, doors: [], objects, parts } as unknown as Room } as MapChange
  }
  const texts = (change: MapChange, hover: string | null = null, marked = '') => {
    const pick = hover === null ? null : ({ kind: 'object', path: hover } as const)
    const rank = (o: RoomObject) => (o.committed === false ? 30 : 10)
    return roomTags(change, [], 'near', project, screen, 'x', rank, pick, marked).map((t) => t.text)
  }

  it('says above each part what it holds, and at each row where its names begin', () => {
    const shown = texts(room([file('abc.go', 2, 2), file('acb.go', 2, 4), file('b.go', 2, 6)]))
    expect(shown).toContain('Code, Go: 3')
    expect(shown).toEqual(expect.arrayContaining(['a', 'ac', 'b']))
  })
  it('names every file, in two lines, and shortens only long names', () => {
    const all = [
      file('user_get.go', 2, 2),
      file('user_set.go', 4, 2, { committed: false }),
      file('negotiation_of_content_test.go', 6, 2),
      file('negotiation_of_languages.go', 8, 2),
      file('user_zap.go', 10, 2),
      file('user_zip.go', 12, 2),
    ]
    const shown = texts(room(all))
    const whole = ['user_get.go', 'user_set.go', 'user_zap.go', 'user_zip.go']
    expect(shown).toEqual(expect.arrayContaining([...whole, 'negotiatio…nt_test.go', 'negotiatio…nguages.go']))
    const long = all[2]!.name
    expect(texts(room(all), long)).toContain(long)
    expect(texts(room(all), null, long)).toContain(long)
  })

  it('cuts no name at the edge of the screen or at a wall, wherever the room is', () => {
    const names = ['a_name_as_long_as_this.go', 'conn_id.go', 'conn_if.go', 'a_name_as_long_as_that.go']
    const change = room(names.map((name, i) => file(name, [2, 4, 2, 40][i]!, [2, 2, 4, 6][i]!)))
    const phone = { width: 390, height: 600 }
    let most = 0
    for (const tile of [16, 32])
      for (let from = -44 * tile; from < 390; from += 13) {
        const at = (x: number, y: number) => ({ x: x * tile + from, y: y * tile })
        const walls = [Math.max(0, from), Math.min(390, from + 44 * tile)] as const
        const hover = { kind: 'object', path: names[0]! } as const
        for (const t of roomTags(change, [], 'near', at, phone, 'x', () => 10, hover)) {
          const half = (t.kind === 'object' ? nameWidth(t.text.length) : t.text.length * 7 + 12) / 2
          if (2 * half > walls[1] - walls[0]) continue // the room is hardly on the screen
          expect(t.x - half, `${t.text} at ${from}`).toBeGreaterThanOrEqual(walls[0] - 0.01)
          expect(t.x + half, `${t.text} at ${from}`).toBeLessThanOrEqual(walls[1] + 0.01)
          const thing = change.room.objects?.find((o) => t.id === `object ${o.id}`)
          if (thing) expect(Math.abs(at(thing.x + 0.5, 0).x - t.x)).toBeLessThanOrEqual(half)
          most++
        }
      }
    expect(most).toBeGreaterThan(200)
  })

  it('names the files above the heading of the next group', () => {
    const things = [file('LICENSE', 2, 1), file('AUTHORS', 4, 1), file('README.md', 6, 1), file('main.go', 2, 3)]
    const parts = [
      { kind: 'doc', x: 1, y: 0, width: 42, height: 2 },
      { kind: 'config', x: 1, y: 2, width: 42, height: 2 },
    ]
    const change = { room: { width: 44, doors: [], objects: things, parts } as unknown as Room } as MapChange
    const shown = roomTags(change, [], 'near', project, screen, 'x').map((t) => t.text)
    expect(shown).toEqual(expect.arrayContaining([...things.map((o) => o.name), 'Configuration: 1']))
  })

  it('names a file the same way whoever stands before the file beside it', () => {
    const change = room(['admin.go', 'content_encoding.go', 'caddy.go'].map((name, i) => file(name, 2 + 2 * i, 2)))
    const hero = { id: 'h', name: 'H', color: '#fff', x: 4.5, y: 3, room: '', page: 0 } as HeroNow
    const named = (heroes: HeroNow[]) =>
      roomTags(change, heroes, 'near', project, screen, 'x').filter((t) => t.kind === 'object')
    const before = new Map(named([]).map((t) => [t.id, t.text]))
    expect(before.size).toBe(3)
    for (const { id, text } of named([hero])) expect(text).toBe(before.get(id))
  })

  it('writes across no hero who stands: headings and names of files are beside it, or give way', () => {
    const hero = (x: number, y: number, moving = false) =>
      ({ id: 'h', name: 'H', color: '#fff', x, y, moving, room: '', page: 0 }) as HeroNow
    const names = ['a_long_name.go', 'b_long_name.go', 'c_long_name.go']
    const change = room(names.map((name, i) => file(name, 2 + 6 * i, 4)))
    const labels = (h: HeroNow) =>
      roomTags(change, [h], 'near', project, screen, 'x').filter((t) => t.kind === 'part' || t.kind === 'object')
    const meetsHero = (h: HeroNow, t: { x: number; y: number; text: string }) => {
      const half = (t.text.length * 7 + 12) / 2
      const inside = t.x + half > h.x * 32 && t.x - half < (h.x + 1) * 32
      return inside && t.y + 18 > (h.y - 1.2) * 32 && t.y < (h.y + 1) * 32
    }
    const past = labels(hero(3, 1.5, true))
    for (const [x, y] of [
      [1.5, 1.5],
      [3, 2],
      [3, 5],
      [2, 6],
      [8.6, 6],
      [13, 5.5],
    ] as const) {
      const at = labels(hero(x, y))
      expect(
        past.some((t) => meetsHero(hero(x, y), t)),
        `at ${x},${y} a label must give way`,
      ).toBe(true)
      expect(at.filter((t) => meetsHero(hero(x, y), t))).toEqual([])
      const heading = (all: typeof at) => all.find((t) => t.text === 'Code, Go: 3')!.x
      expect(heading(at)).toBeGreaterThanOrEqual(heading(past))
      expect(at.length).toBeGreaterThanOrEqual(past.length - 1)
    }
  })

  it('lists the names of heroes who stand close, each below the last, and moves none for who walks past', () => {
    const hero = (id: string, x: number, y: number, moving = false) =>
      ({ id, name: `Archaeologist ${id}`, color: '#fff', x, y, moving, room: '', page: 0 }) as HeroNow
    const shown = (heroes: HeroNow[]) =>
      roomTags(room([]), heroes, 'near', project, screen, 'x').filter((t) => t.kind === 'hero')
    const [a, b, c] = shown([hero('a', 20, 5), hero('b', 20.5, 5), hero('c', 22, 5)])
    expect([b!.x, b!.y > a!.y, c!.x > b!.x, c!.y > b!.y]).toEqual([a!.x, true, true, true])
    const past = shown([hero('a', 20, 5), hero('b', 20.5, 5), hero('c', 22, 5), hero('d', 20, 5, true)])
    expect(past).toEqual([a, b, c])
  })
})

describe('a speaker at the upper edge of the view', () => {
  const view = { width: 1000, height: 600 }
  const hero = (id: string, x: number, y: number, says?: string, moving = false) =>
    ({ id, name: id, color: '#fff', x, y, room: '', page: 0, says, moving }) as HeroNow
  const text = 'A text of some length that wraps.'
  const change = { room: { doors: [], objects: [] } } as unknown as MapChange
  const said = (heroes: HeroNow[], screen: Screen = view) =>
    roomTags(change, heroes, 'near', project, screen, 'x').filter((t) => t.kind === 'speech')
  const bubble = (heroes: HeroNow[], screen?: Screen) => said(heroes, screen)[0]!
  // The bubble is 220 pixels wide and 46 high, a hero is 32 wide and 70 high.
  const [right, left, below] = [{ x: 498 + 4 + 110 }, { x: 466 - 4 - 110 }, { x: 482 }]
  const ann = hero('ann', 14.5625, 1, text)

  it('has its bubble above it where there is space', () => {
    const y = (3 - 1.2) * 32
    expect(bubble([hero('ann', 14.5625, 3, text)])).toMatchObject({ ...below, y: expect.closeTo(y) as number })
  })
  it('has it at its side, below no edge of the view', () => {
    expect(bubble([ann])).toMatchObject({ ...right, y: 64 })
    expect(bubble([hero('ann', 28, 1, text)])).toMatchObject({ x: 28 * 32 - 4 - 110 })
  })
  it('has a narrower one where the view has no space for the whole width', () => {
    const narrow = bubble([hero('ann', 6, 1, text)], { width: 390, height: 200 })
    expect(narrow).toMatchObject({ width: 390 - 4 - 228, x: 228 + (390 - 4 - 228) / 2 })
  })
  it('covers no other hero that stands, and does not move for who walks past', () => {
    const bob = hero('bob', 17, 1)
    expect(bubble([ann, bob])).toMatchObject(left)
    expect(bubble([ann, { ...bob, moving: true }])).toMatchObject(right)
    expect(bubble([ann, bob, hero('cy', 11, 1)])).toMatchObject({ ...below, y: 64 + 18 + 46 })
    expect(bubble([ann, bob, hero('cy', 11, 1), hero('di', 15, 4)])).toMatchObject(right)
  })
  it('covers neither the bubble of another speaker nor a control', () => {
    expect(said([ann, hero('bob', 24, 1, text)])).toHaveLength(2)
    const taken = [{ left: 520, right: 900, top: 0, bottom: 50 }]
    expect(bubble([ann], { ...view, taken })).toMatchObject(left)
    const rest = { left: 0, right: 380, top: 0, bottom: 200 }
    expect(said([hero('ann', 11, 1, text)], { width: 390, height: 200, taken: [rest] })).toEqual([])
  })
})
