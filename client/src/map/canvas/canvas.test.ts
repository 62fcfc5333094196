// The pure functions of the drawn map.
import { describe, expect, it } from 'vitest'
import type { Agent, Fort, MapChange, Place, Room, Site, Walk } from '../../net/protocol.gen'
import { flagsOf } from '../flags'
import { Camera } from './camera'
import { floorPiece, furnitureSprites, nameRank, thingPiece } from './furniture'
import { footprints, glows, moss, objectPiece, sizeOf } from './marks'
import { openHouses } from './dollhouse'
import { pickCountry, pickRoom } from './picking'
import { COVER, lift, NEVER, SEEN, visibility, WATCHED, revealWhole } from './visibility'
import type { RealmModel } from '../../state/model'
import { heldWords } from './speech'
import type { HeroNow } from './heroes-now'
import { roomTags } from './tags'
import {
  biomes,
  BIOMES,
  cover,
  fringes,
  groundPiece,
  GRASS,
  looks,
  roadLook,
  roadPieces,
  scatter,
  siteOf,
  standingPiece,
  TREE,
  unpack,
  WALL,
  WATER,
} from './terrain'
import {
  clampView,
  declutter,
  detail,
  fitZoom,
  roomView,
  seenFrom,
  snapZoom,
  stepZoom,
  pointAt,
  toScreen,
  zoomAt,
} from './view'
import { heroFrame, outlineOf, poseOf } from './pose'
import { animals, animalSprites, weatherAt } from './life'
import { nightAt, tonesAt } from './palette'
import { isDark } from './theme'
import { heading, indexOf, positionOn, WalkClock } from './walking'

const walk = (path: number[][], room: number[][], msPerTile = 100): Walk => ({
  path: path as Walk['path'],
  room: room as Walk['room'],
  startsAt: '2026-01-01T00:00:00Z',
  arrivesAt: '2026-01-01T00:00:01Z',
  msPerTile,
})
const agent = (over: Partial<Agent>): Agent => ({
  id: 'a',
  name: 'a',
  displayName: 'A',
  kind: 'agent',
  role: 'a',
  color: '#ffffff',
  status: 'idle',
  x: 0,
  y: 0,
  realm: '',
  ...over,
})
const fort = (x: number, y: number, biome: string): Fort => ({
  agentId: biome,
  name: biome,
  color: '#ffffff',
  biome: biome as Fort['biome'],
  stage: 1,
  x,
  y,
  gateX: x,
  gateY: y + 3,
})
const site = (path: string, x: number, y: number, side: number): Site => ({
  path,
  name: path,
  x,
  y,
  width: side,
  height: side,
  doorX: x + (side >> 1),
  doorY: y + side,
  files: 1,
})

describe('a walk (P10.9)', () => {
  const into = walk(
    [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
    [
      [5, 9],
      [5, 8],
    ],
  )
  const a = agent({ x: 5, y: 8, realm: 'src', inside: true, walk: into })

  it('goes over the country, then through the room, then stands at its end', () => {
    expect(positionOn(a, into, 50)).toMatchObject({ room: null, x: 0.5, y: 0, direction: 'right', moving: true })
    expect(positionOn(a, into, 250)).toMatchObject({ room: null, x: 2, moving: true })
    expect(positionOn(a, into, 350)).toMatchObject({ room: 'src', x: 5, y: 8.5, direction: 'up', moving: true })
    expect(positionOn(a, into, 400)).toMatchObject({ room: 'src', x: 5, y: 8, moving: false })
    expect(positionOn(a, into, -10)).toMatchObject({ x: 0, moving: true })
  })

  it('begins when the page hears of it, on the page’s clock', () => {
    const clock = new WalkClock()
    clock.follow('r 1', [agent({ x: 9, y: 9 })], {}, 1000)
    expect(clock.position(agent({ x: 9, y: 9 }), 1000)).toMatchObject({ x: 9, y: 9, moving: false })
    clock.follow('r 1', [a], {}, 5000)
    expect(clock.position(a, 5050)).toMatchObject({ x: 0.5, moving: true })
    clock.follow('r 1', [a], {}, 5100)
    expect(clock.position(a, 5150)).toMatchObject({ x: 1.5 })
  })

  it('goes on where places says after an attach, and is over where it says nothing', () => {
    const place: Place = { x: 1, y: 0 }
    const clock = new WalkClock()
    clock.follow('r 1', [a], { a: place }, 0)
    expect(clock.position(a, 50)).toMatchObject({ x: 1.5 })
    clock.follow('r 2', [a], {}, 100)
    expect(clock.position(a, 100)).toMatchObject({ room: 'src', x: 5, y: 8, moving: false })
  })

  it('finds tiles of the road and of the room', () => {
    expect([
      indexOf(into, { x: 2, y: 0 }),
      indexOf(into, { x: 5, y: 8, realm: 'src', inside: true }),
      indexOf(into, { x: 7, y: 7 }),
    ]).toEqual([2, 4, -1])
  })

  it('shows what a hero does', () => {
    expect([heading([0, 0], [1, 1]), heading([1, 0], [0, 0]), heading(undefined, [0, 0])]).toEqual([
      'down',
      'left',
      'down',
    ])
  })
})

describe('the look of a hero', () => {
  const none = { speaks: false, reads: false, cut: false, done: false }
  const coding = (over: object) => agent({ state: { state: 'working', source: 'hook', since: null, ...over } })

  it('has the pose of what it does', () => {
    expect(poseOf(agent({ activity: 'reading' }), none)).toBe('read')
    expect(poseOf(agent({ activity: 'reading' }), { ...none, speaks: true })).toBe('talk')
    expect(poseOf(agent({ activity: 'writing' }), none)).toBe('write')
    expect(poseOf(agent({ status: 'running' }), { ...none, reads: true })).toBe('read')
    expect(poseOf(agent({ activity: 'searching' }), none)).toBe('search')
    expect(poseOf(agent({ status: 'running' }), { ...none, cut: true })).toBe('think')
    expect(poseOf(agent({}), { ...none, cut: true, done: true })).toBe('cut')
    expect(poseOf(agent({}), { ...none, done: true })).toBe('cheer')
    expect(poseOf(agent({}), none)).toBeNull()
  })

  it('of a coding agent follows its state: who waits for a person waits, whatever streams', () => {
    expect(poseOf(coding({ state: 'waiting' }), { ...none, speaks: true })).toBe('wait')
    expect(poseOf(coding({ reason: 'Edit: a.go', path: 'a.go', edits: true }), none)).toBe('write')
    expect(poseOf(coding({ reason: 'Read: a.go', path: 'a.go' }), none)).toBe('read')
    expect(poseOf(coding({ reason: 'Bash: go test ./...', path: 'a.go', edits: true }), none)).toBe('think')
    expect(poseOf(coding({}), none)).toBe('think')
  })

  it('has the outline of its role; another role has always the same', () => {
    expect(outlineOf(agent({ role: 'sage' }))).toBe('sage')
    expect(outlineOf(agent({ kind: 'human', role: 'sage' }))).toBe('person')
    expect(outlineOf(coding({}))).toBe('golem')
    expect(outlineOf(agent({ id: 'ideator' }))).toBe(outlineOf(agent({ id: 'ideator' })))
  })

  it('walks in four frames, and stands still where motion is turned off', () => {
    const p = { room: null, x: 0, y: 0, direction: 'up' as const, moving: true, page: 0, file: '' }
    const rests = { ...p, moving: false }
    expect(heroFrame('sage', p, 'talk', 390, false)).toBe('hero.sage.up.walk3')
    expect(heroFrame('sage', rests, 'talk', 0, false)).toBe('hero.sage.talk0')
    expect(heroFrame('sage', rests, 'read', 1200, false)).toBe('hero.sage.read1')
    expect(heroFrame('sage', rests, 'read', 1200, true)).toBe('hero.sage.read0')
    expect(heroFrame('sage', rests, null, 900, false)).toBe('hero.sage.up.idle1')
  })
})

describe('life at rest', () => {
  it('is on meadows, beside houses and not in them', () => {
    const looked = looks(new Uint8Array(120 * 120), new Uint8Array(120 * 120), null)
    const list = animals(looked, [site('', 30, 30, 60)])
    expect(list.length).toBeGreaterThan(5)
    expect(list.every((a) => a.x < 30 || a.x > 90 || a.y < 28 || a.y > 90)).toBe(true)
    expect(animals(looks(new Uint8Array(120 * 120).fill(WATER), new Uint8Array(120 * 120), null), [])).toEqual([])
    const far = animalSprites(list, 1e6).map((s, i) => Math.hypot(s.x / 16 - list[i]!.x, s.y / 16 - list[i]!.y))
    expect(Math.max(...far)).toBeLessThan(2)
  })

  it('has the weather and the night of the hour', () => {
    const day = Array.from({ length: 200 }, (_, h) => weatherAt(h))
    expect(new Set(day)).toEqual(new Set(['clear', 'clouds', 'rain']))
    expect(weatherAt(7.2)).toBe(weatherAt(7.8))
    expect([3, 6, 12, 20, 23].map(nightAt)).toEqual([1, 0.5, 0, 0.5, 1])
    expect(tonesAt(false, 23).unseen[3]).toBeGreaterThan(tonesAt(false, 12).unseen[3])
    expect(tonesAt(true, 23)).toEqual(tonesAt(true, 12))
    expect([isDark('rgb(21, 24, 40)'), isDark('rgb(243, 236, 217)')]).toEqual([true, false])
  })
})

describe('the land', () => {
  it('takes the biome of the nearest fort; around the keep it is plain (P10.8)', () => {
    const of = biomes([fort(10, 60, 'forest'), fort(110, 60, 'volcanic')], site('', 58, 58, 5))
    const at = (x: number, y: number): string => BIOMES[of[y * 120 + x]!]!
    expect([at(0, 60), at(119, 0), at(60, 62)]).toEqual(['forest', 'volcanic', 'plains'])
    expect(new Set(biomes([], undefined))).toEqual(new Set([BIOMES.indexOf('plains')]))
  })

  it('wears roads', () => expect([0, 1, 2, 3, 5, 6, 9].map(roadLook)).toEqual([0, 1, 1, 2, 2, 3, 3]))

  it('has pieces for every tile, water shows through, and few accents', () => {
    const look = (tile: number, wear = 0): number =>
      looks(new Uint8Array([tile]), new Uint8Array([0]), new Uint8Array([wear]))[0]!
    expect(unpack(look(TREE, 7))).toEqual({ tile: TREE, biome: 'forest', road: 3 })
    expect(groundPiece(look(WATER), 1, 1)).toMatch(/^water\.\d$/)
    expect(groundPiece(look(GRASS), 1, 1)).toMatch(/^ground\.forest\.\d$/)
    expect(standingPiece(look(TREE), 1, 1)).toMatch(/^tree\.forest\.\d$/)
    let accents = 0
    for (let i = 0; i < 1200; i++) if (scatter(i % 40, Math.floor(i / 40)) % 12 === 0) accents++
    expect(accents).toBeGreaterThan(60)
    expect(accents).toBeLessThan(150)
  })

  it('has edges where lands meet: the higher land reaches into the lower one', () => {
    const look = (tile: number): number => looks(new Uint8Array([tile]), new Uint8Array([0]), null)[0]!
    const at = (x: number, y: number): number => look(x < 5 ? WATER : y > 8 ? WATER : GRASS)
    expect(fringes(at, 4, 5)).toEqual([expect.stringMatching(/^fringe\.forest\.1\.[01]$/)])
    expect(fringes(at, 4, 9)).toEqual([expect.stringMatching(/^fringe\.forest\.4\.[01]$/)])
    expect(fringes(at, 5, 5)).toEqual([])
    expect(fringes(at, 2, 5)).toEqual([])
  })

  it('has roads that lead to the roads around, also over a corner', () => {
    const look = (wear: number): number =>
      looks(new Uint8Array([GRASS]), new Uint8Array([0]), new Uint8Array([wear]))[0]!
    const road = new Set(['1,1', '2,1', '3,2'])
    const at = (x: number, y: number): number => look(road.has(`${x},${y}`) ? 4 : 0)
    expect(roadPieces(at, 0, 0)).toEqual([])
    expect(roadPieces(at, 1, 1)).toEqual([expect.stringMatching(/^road\.2\.2\.[01]$/)])
    expect(roadPieces(at, 2, 1)).toEqual(['road.2.corner1', expect.stringMatching(/^road\.2\.8\.[01]$/)])
    expect(roadPieces(at, 3, 2)[0]).toBe('road.2.corner3')
  })

  it('lets nothing grow under houses and forts', () => {
    const tiles = new Uint8Array(120 * 120).fill(WALL)
    const out = cover(tiles, [site('a', 0, 0, 3)], [fort(50, 50, 'forest')])
    expect([out[0], out[3], out[50 * 120 + 52], out[50 * 120 + 53]]).toEqual([GRASS, WALL, GRASS, WALL])
    expect(tiles[0]).toBe(WALL)
  })

  it('finds the house of a folder, the keep where it has none', () => {
    const sites = [site('', 58, 58, 5), site('src', 0, 0, 3)]
    expect([
      siteOf(sites, 'src/a')?.path,
      siteOf(sites, 'src')?.path,
      siteOf(sites, 'x/y')?.path,
      siteOf(sites, '')?.path,
    ]).toEqual(['src', 'src', '', ''])
  })
})

describe('a house whose roof is open', () => {
  const sites = [site('', 50, 50, 5), site('src', 10, 10, 3)]
  const hero = (id: string, room: string | null, lit: boolean): HeroNow => ({
    id,
    name: id,
    color: '#ffffff',
    x: 3,
    y: 3,
    frame: 'hero.sage.read0',
    moving: false,
    lit,
    room,
    page: 0,
    file: '',
    says: undefined,
  })
  it('shows the heroes who are in it, once one is at work and the camera is near', () => {
    const here = [hero('a', 'src/deep', false), hero('b', 'src', true), hero('c', null, true)]
    const [open, ...others] = openHouses(sites, here, 1)
    expect(others).toEqual([])
    expect(open!.site.path).toBe('src')
    expect(open!.sprite).toEqual({ piece: 'site.open.small', x: 184, y: 208 })
    expect(open!.heroes.map((h) => h.id)).toEqual(['b', 'a'])
    for (const h of open!.heroes) {
      expect(h.x).toBeGreaterThan(9.5)
      expect(h.x).toBeLessThan(12.5)
      expect(h.y).toBeLessThan(13)
    }
    expect(openHouses(sites, here, 0.9)).toEqual([])
    expect(openHouses(sites, [hero('a', 'src', false)], 2)).toEqual([])
  })
  it('is not overcrowded', () => {
    const many = Array.from({ length: 40 }, (_, i) => hero(`h${i}`, '', true))
    expect(openHouses(sites, many, 2)[0]!.heroes).toHaveLength(6)
  })
})

describe('fog', () => {
  it('has three states', () => {
    const s = visibility(new Uint8Array(120 * 120).fill(1, 0, 120), [{ x: 50, y: 50 }])
    expect([s[0], s[120], s[50 * 120 + 58], s[50 * 120 + 59]]).toEqual([SEEN, NEVER, WATCHED, NEVER])
  })

  it('shows a house that is seen in part whole, with its roof', () => {
    const s = revealWhole(visibility(null, [{ x: 50, y: 50, radius: 1 }]), [
      { x: 51, y: 49, width: 4, height: 4 },
      { x: 90, y: 90, width: 3, height: 3 },
    ])
    expect([s[52 * 120 + 54], s[47 * 120 + 52], s[46 * 120 + 52], s[91 * 120 + 91]]).toEqual([
      WATCHED,
      WATCHED,
      NEVER,
      NEVER,
    ])
  })

  it('lifts in half a second', () => {
    const covers = new Float32Array([COVER[NEVER]])
    expect(lift(covers, new Uint8Array([WATCHED]), 250)).toBe(true)
    expect(covers[0]).toBeCloseTo(COVER[NEVER] / 2)
    expect(lift(covers, new Uint8Array([WATCHED]), 250)).toBe(false)
    expect(covers[0]).toBe(0)
  })
})

describe('the camera', () => {
  const screen = { width: 800, height: 600 }
  const world = { width: 1920, height: 1920 }
  it('zooms in whole steps from the fit on', () => {
    const fit = fitZoom(screen, world)
    expect(fit).toBeCloseTo(0.3125)
    expect([
      stepZoom(fit, 1, fit),
      stepZoom(1, 1, fit),
      stepZoom(4, 1, fit),
      stepZoom(1, -1, fit),
      snapZoom(2.6, fit),
      snapZoom(0.4, fit),
    ]).toEqual([1, 2, 4, fit, 3, fit])
    expect(fitZoom(screen, { width: 200, height: 200 })).toBe(3)
    expect([detail(0.4), detail(1), detail(2)]).toEqual(['far', 'middle', 'near'])
  })
  it('stays in the world and keeps the point under the hand', () => {
    expect(clampView({ x: -50, y: 5000, zoom: 1 }, screen, world)).toEqual({ x: 400, y: 1620, zoom: 1 })
    expect(clampView({ x: 0, y: 0, zoom: 0.3 }, screen, world)).toMatchObject({ x: 960, y: 960 })
    // The view may reach 16 pixels above the map, so that the heads of heroes in the first row are visible.
    expect(seenFrom(clampView({ x: 960, y: 0, zoom: 2 }, screen, world), screen).top).toBe(-16)
    const v = { x: 960, y: 960, zoom: 1 }
    const z = zoomAt(v, screen, 3, 100, 50)
    expect(pointAt(z, screen, 100, 50)).toEqual(pointAt(v, screen, 100, 50))
    expect(toScreen(v, screen, 960, 960)).toEqual({ x: 400, y: 300 })
  })
  it('shows the first part of a room again on a screen of another size, until somebody moves it', () => {
    const camera = new Camera()
    const room = { width: 640, height: 320 }
    let size = { width: 1280, height: 640 }
    const enter = () => camera.enter('room a', room, () => ({ x: 320, y: size.height / 2, zoom: 1 }))
    const turn = (width: number, height: number) => {
      size = { width, height }
      camera.resize(size, 1)
      enter()
      return camera.view
    }
    camera.resize(size, 1)
    enter()
    expect(turn(360, 200)).toEqual({ x: 320, y: 100, zoom: 1 })
    camera.slide(0, -40)
    expect(turn(360, 180)).toEqual({ x: 320, y: 140, zoom: 1 })
  })
  it('shows no name over another; the higher rank stays', () => {
    const l = (id: string, x: number, rank: number) => ({ id, x, y: 10, width: 100, height: 18, rank })
    expect(
      declutter([l('a', 100, 1), l('b', 150, 2), l('c', 300, 0), l('d', 2000, 9)], screen).map((x) => x.id),
    ).toEqual(['b', 'c'])
  })
  it('shows no name of which the upper or the lower edge of the screen cuts a part', () => {
    const l = (y: number) => ({ id: `${y}`, x: 100, y, width: 100, height: 18, rank: 1 })
    const shown = [-1, 0, 582, 583].filter((y) => declutter([l(y)], screen).length > 0)
    expect(shown).toEqual([0, 582])
  })
})

describe('the first view of a room', () => {
  const screen = { width: 780, height: 700 }

  it('leaves out a little at the right where that makes the rest larger', () => {
    expect(roomView(screen, { width: 432, height: 320 }, 1)).toEqual({ x: 195, y: 175, zoom: 2 })
    expect(roomView(screen, { width: 460, height: 320 }, 1)).toMatchObject({ x: 230, zoom: 1 })
  })

  it('shows a small room whole, and a large one from its first shelves', () => {
    expect(roomView(screen, { width: 300, height: 200 }, 1)).toMatchObject({ x: 150, zoom: 2 })
    expect(roomView(screen, { width: 2000, height: 3000 }, 1)).toEqual({ x: 390, y: 350, zoom: 1 })
  })
})

describe('marks', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  it('say size, age, use and change', () => {
    expect([sizeOf(undefined), sizeOf(4095), sizeOf(4096), sizeOf(65536)]).toEqual(['s', 's', 'm', 'l'])
    expect([
      moss(undefined, now),
      moss('2025-12-01T00:00:00Z', now),
      moss('2025-05-01T00:00:00Z', now),
      moss('2024-10-01T00:00:00Z', now),
      moss('2020-01-01T00:00:00Z', now),
    ]).toEqual([0, 0, 1, 2, 3])
    expect([undefined, 4, 5, 12, 30].map(footprints)).toEqual([0, 0, 1, 2, 3])
    expect([glows(undefined, now), glows('2025-12-31T23:59:30Z', now), glows('2025-12-31T23:58:30Z', now)]).toEqual([
      false,
      true,
      false,
    ])
    expect(objectPiece({ id: 'a', kind: 'odd', name: '', path: '', x: 0, y: 0 })).toMatch(/^object\.file\.s\.[01]$/)
  })
  it('show the worst finding of a file', () => {
    const f = (path: string, severity: 'low' | 'high') => ({
      id: path + severity,
      agentId: '',
      severity,
      title: '',
      text: '',
      path,
      at: '',
    })
    expect([...flagsOf([f('a', 'high'), f('a', 'low'), f('', 'high')]).at]).toEqual([['a', 'high']])
  })
})

describe('furniture', () => {
  const file = (over: Partial<Room['objects'][0]>) => ({
    id: 'a',
    kind: 'file',
    name: 'a.go',
    path: 'a.go',
    x: 2,
    y: 2,
    size: 100,
    ...over,
  })
  const room: Room = {
    path: '',
    generation: 1,
    width: 12,
    height: 9,
    objects: [],
    doors: [],
    parts: [
      { kind: 'doc', x: 1, y: 1, width: 10, height: 2 },
      { kind: 'file', x: 1, y: 3, width: 10, height: 4 },
    ],
    walls: [],
    gone: [],
  }
  it('shows the language of code and the kind of everything else', () => {
    expect(thingPiece(file({ language: 'Go' }))).toMatch(/^object\.go\.s\.[01]$/)
    expect(thingPiece(file({ language: 'TypeScript', size: 5000 }))).toMatch(/^object\.ts\.m\.[01]$/)
    expect(thingPiece(file({ name: 'a.zig' }))).toMatch(/^object\.file\.s/)
    expect(thingPiece(file({ kind: 'test', language: 'Go' }))).toMatch(/^object\.test\.s/)
  })
  it('has a floor, shelves and a banner for each part', () => {
    expect(floorPiece(room, 2, 2)).toMatch(/^floor\.doc\.\d$/)
    expect(floorPiece(room, 2, 4)).toMatch(/^floor\.file\.\d$/)
    expect(floorPiece(room, 0, 8)).toMatch(/^floor\.hall\.\d$/)
    const pieces = furnitureSprites(room).map((s) => s.piece)
    expect(pieces.filter((p) => p.startsWith('shelf.doc')).length).toBe(5)
    expect(pieces.filter((p) => p.startsWith('shelf.file')).length).toBe(10)
    expect(pieces).toContain('banner.file')
  })
  it('names first what has findings, then what has changed, then what is large', () => {
    const ranks = [
      nameRank(file({}), 'critical'),
      nameRank(file({ size: 9e6, committed: false }), 'low'),
      nameRank(file({}), 'info'),
      nameRank(file({ committed: false }), undefined),
      nameRank(file({ size: 9e6 }), undefined),
      nameRank(file({}), undefined),
    ]
    expect(nameRank(file({}), 'critical')).toBeGreaterThan(nameRank(file({}), 'low'))
    expect(ranks.slice(2)).toEqual([...ranks.slice(2)].sort((a, b) => b - a))
    expect(Math.max(...ranks)).toBeLessThan(60)
  })
})

describe('speech', () => {
  it('of a coding agent that waits for a person is what it waits for', () => {
    const waiting = {
      state: 'waiting',
      wait: 'permission',
      reason: 'Edit: /repo/a.go',
      source: 'hook',
      since: null,
    } as const
    const realm = { path: '/repo' }
    const agents = [agent({ id: 'a', state: waiting }), agent({ id: 'b' })]
    const r = { world: { realm, agents }, streams: {}, views: {} }
    const said = heldWords(r as unknown as RealmModel)
    expect([...said]).toEqual([['a', 'waits for its user: permission to edit a file: a.go']])
    const long = { ...waiting, reason: `Bash: ${'x'.repeat(200)}` }
    const cut = heldWords({
      ...r,
      world: { realm, agents: [agent({ id: 'a', state: long })] },
    } as unknown as RealmModel)
    expect(cut.get('a')).toMatch(/^waits for its user.*x…$/)
  })
})

describe('speech bubbles', () => {
  const screen = { width: 400, height: 300 }
  const bubble = (x: number, y: number) => {
    const hero = { id: 'a', name: 'A', color: '#fff', x, y, room: 'src', says: 'A text of some length that wraps.' }
    const change = { room: { doors: [], objects: [] } } as unknown as MapChange
    const tags = roomTags(change, [hero as HeroNow], 'near', (px, py) => ({ x: px, y: py }), screen, 'root')
    return tags.find((t) => t.kind === 'speech')
  }
  it('are within the screen and beside the zoom buttons, and not of a speaker who is not on it', () => {
    expect(bubble(200, 150)).toMatchObject({ x: 200.5 })
    const left = bubble(2, 150)!
    expect(left.x - 110).toBeGreaterThanOrEqual(0)
    expect(left.x - 110).toBeLessThan(10)
    expect(bubble(398, 150)!.x + 110).toBeLessThanOrEqual(400)
    expect(bubble(200, 5)!.y).toBeGreaterThan(40)
    expect(bubble(2, 290)!.x - 110).toBeGreaterThanOrEqual(60)
    expect(bubble(-50, 150)).toBeUndefined()
  })
})

describe('picking', () => {
  it('takes heroes first, then houses with their roofs, then forts', () => {
    const sites = [site('src', 10, 10, 3)]
    const forts = [fort(30, 30, 'forest')]
    expect(pickCountry(sites, forts, [{ id: 'h', x: 10.4, y: 11 }], 10.5, 10.5)).toEqual({ kind: 'hero', id: 'h' })
    expect(pickCountry(sites, forts, [], 11, 9)).toEqual({ kind: 'site', path: 'src' })
    expect(pickCountry(sites, forts, [], 11, 13)).toEqual({ kind: 'site', path: 'src' })
    expect(pickCountry(sites, forts, [], 31, 28)).toEqual({ kind: 'fort', id: 'forest' })
    expect(pickCountry(sites, forts, [], 80, 80)).toBeNull()
  })
  it('takes of two heroes the one in front', () => {
    const heroes = [
      { id: 'back', x: 3, y: 4 },
      { id: 'front', x: 3.5, y: 4.6 },
    ]
    expect(pickCountry([], [], heroes, 3.9, 4.2)).toEqual({ kind: 'hero', id: 'front' })
    expect(pickCountry([], [], heroes, 2.9, 4.2)).toEqual({ kind: 'hero', id: 'back' })
    expect(pickCountry([], [], heroes, 3.5, 6)).toBeNull()
  })
  it('finds doors and things of a room', () => {
    const room: Room = {
      path: '',
      generation: 1,
      width: 9,
      height: 9,
      objects: [{ id: 'o', kind: 'file', name: 'a', path: 'a', x: 3, y: 3 }],
      doors: [{ id: 'd', path: '', name: '', x: 4, y: 8, back: true, files: 0 }],
      parts: [],
      walls: [],
      gone: [],
    }
    expect(pickRoom(room, [], 4, 8)).toEqual({ kind: 'door', path: '', back: true })
    expect(pickRoom(room, [], 3, 2)).toEqual({ kind: 'object', path: 'a' })
    expect(pickRoom(room, [], 1, 1)).toBeNull()
  })
})
