// The country: ground, houses and forts under the fog, heroes on the roads. It caches what does not change between
// frames.
import type { Collision, Site } from '../../net/protocol.gen'
import { COUNTRY_SIDE, decodeGrid } from '../../state/grid'
import type { RealmModel } from '../../state/model'
import { collisionsOf } from '../collisions'
import type { Atlas, Pen } from './atlas'
import { Backdrop, type Frame } from './backdrop'
import { Brush } from './brush'
import type { Camera } from './camera'
import { clearView } from './clear-view'
import { Caravans } from './caravan'
import { Dots } from './dots'
import { openHouses, type OpenHouse } from './dollhouse'
import { Fog } from './fog'
import type { Pace } from './frames'
import { Glints } from './glints'
import { Ground } from './ground'
import { Heroes } from './heroes'
import { inside, type HeroNow } from './heroes-now'
import {
  animals,
  animalSprites,
  birdSprites,
  fireSprites,
  smokeSprites,
  torchSprites,
  weatherAt,
  weatherSprites,
  type Animal,
} from './life'
import type { Lamp } from './light'
import type { Tag } from './overlay'
import { pickCountry, type Pick } from './picking'
import type { Moment, Scene } from './scene'
import { bannerSprites, collisionSprites, siteSprites } from './sites'
import type { Sprite } from './sprite'
import { countryTags } from './tags'
import { biomes, cover, layerOf, looks, TILE } from './terrain'
import { boxOfTiles, detail, fitZoom, meets, type Box, type Screen, type Size, type View } from './view'
import { revealWhole, visibility } from './visibility'

const NONE: readonly Collision[] = []
const WORLD: Size = { width: COUNTRY_SIDE * TILE, height: COUNTRY_SIDE * TILE }
/** The radius in tiles that is visible around the keep, and around a house with a hero in it. */
const HOUSE_SIGHT = 7
/** The minimum time between two redraws of worn roads, in milliseconds. Each repaints the ground. */
const ROADS_MS = 1500
/**
 * AROUND: the tiles around the outermost houses that the first view includes. ROOF: the additional tiles above
 * them, for roofs.
 */
const AROUND = 2
const ROOF = 3

export class Country implements Scene {
  readonly world = WORLD
  readonly #ground: Ground
  readonly #fog = new Fog()
  readonly #backdrop = new Backdrop()
  readonly #brush: Brush
  readonly #heroes: Heroes
  readonly #dots = new Dots()
  /** What draws the small picture of a second scene in the country, which has a zoom of its own. */
  readonly #second: { brush: Brush; heroes: Heroes }
  #land: { country: unknown; forts: unknown; paths: unknown } = { country: null, forts: null, paths: null }
  #collisions: { of: unknown; sprites: Sprite[] } = { of: null, sprites: [] }
  #watch: { key: string; explored: unknown; states: Uint8Array; tones: unknown } = {
    key: '',
    explored: null,
    states: new Uint8Array(0),
    tones: null,
  }
  #built: Sprite[] = []
  #tiles: Uint8Array = new Uint8Array(0)
  #biomes: Uint8Array = new Uint8Array(0)
  readonly #glints = new Glints()
  #lamps: readonly Lamp[] = []
  #animals: Animal[] = []
  readonly #caravans = new Caravans()
  #open: readonly OpenHouse[] = []
  #changed = 0
  #lifting = false

  /** The last result of begin, and what it was computed from. */
  #first: (Size & { sites: readonly Site[]; controls: readonly Box[]; ratio: number; view: View }) | null = null

  constructor(atlas: Atlas) {
    this.#ground = new Ground(atlas)
    this.#brush = new Brush(atlas)
    this.#heroes = new Heroes(atlas, this.#brush)
    const brush = new Brush(atlas)
    this.#second = { brush, heroes: new Heroes(atlas, brush) }
  }

  /** The first view: all houses, beside the controls if possible. Cached, because the director asks in every frame. */
  begin({ realm }: Moment, screen: Size, ratio: number, controls: readonly Box[]): View {
    const { sites } = realm.world.country
    if (sites.length === 0) return { x: WORLD.width / 2, y: WORLD.height / 2, zoom: ratio }
    const { width, height } = screen
    const k = this.#first
    const same = k?.sites === sites && k.controls === controls && k.ratio === ratio
    if (same && k.width === width && k.height === height) return k.view
    const left = Math.min(...sites.map((s) => s.x)) - AROUND
    const right = Math.max(...sites.map((s) => s.x + s.width)) + AROUND
    const top = Math.min(...sites.map((s) => s.y)) - ROOF
    const bottom = Math.max(...sites.map((s) => s.y + s.height)) + AROUND
    const part = boxOfTiles({ left, top, right, bottom })
    const houses = sites.map((s) => boxOfTiles({ left: s.x, top: s.y, right: s.x + s.width, bottom: s.y + s.height }))
    const seen = { screen, ratio, part, houses, roof: ROOF * TILE, controls }
    const view = clearView({ ...seen, smallest: fitZoom(screen, WORLD) })
    this.#first = { sites, controls, ratio, width, height, view }
    return view
  }

  draw(g: Pen, camera: Camera, m: Moment): Pace {
    const { world } = m.realm
    this.#change(world, m.now)
    this.#caravans.hear(m.realm.moment, world, m.now)
    this.#lift(m)
    const waits = this.#backdrop.show(
      g,
      camera,
      m.tones.beyond,
      {
        key: `ground ${this.#ground.changes}`,
        changed: this.#ground.changed,
        paint: (pen, frame) => this.#ground.paint(pen, frame),
      },
      this.#fog.shade,
    )
    const { seen, origin, view, cssZoom } = camera
    const frame = { zoom: view.zoom, left: origin.x, top: origin.y }
    this.#brush.begin(g, frame)
    const out = m.heroes.filter((h) => h.room === null)
    this.#brush.paint(g, this.#alive(m, seen), seen)
    const wagons = m.calm ? [] : this.#caravans.sprites(m.now)
    this.#brush.paint(g, wagons, seen)
    const near = out.filter((h) => meets(seen, (h.x - 2) * TILE, (h.y - 2) * TILE, 5 * TILE, 5 * TILE))
    const { width, height } = camera.screen
    const corner = `${view.zoom} ${origin.x} ${origin.y}`
    if (detail(cssZoom) === 'far')
      this.#dots.paint(g, near, frame, camera.screen, `${m.stirs} ${corner} ${width} ${height}`)
    else this.#heroes.paint(g, near, this.#ground.before)
    this.#open = openHouses(world.country.sites, m.heroes, cssZoom)
    for (const house of this.#open) {
      if (!meets(seen, house.site.x * TILE, (house.site.y - 2) * TILE, 5 * TILE, 8 * TILE)) continue
      this.#brush.put(g, house.sprite)
      this.#heroes.paint(g, house.heroes, () => [])
    }
    this.#brush.paint(g, [...this.#collisionMarks(world), ...above(m, seen)], seen)
    if (waits || this.#lifting || wagons.length > 0 || (!m.calm && out.some((h) => h.moving))) return 'moving'
    return m.calm ? 'still' : 'living'
  }

  glimpse(g: Pen, frame: Frame, m: Moment, heroes: readonly HeroNow[]): void {
    this.#change(m.realm.world, m.now)
    this.#ground.copy(g, frame)
    this.#second.brush.begin(g, frame)
    this.#second.heroes.paint(g, heroes, this.#ground.before)
  }

  tags(camera: Camera, m: Moment, screen: Screen): Tag[] {
    const counts = inside(m.heroes, m.realm.world.country.sites)
    // If all heroes in a house are visible, the house needs no label with their number.
    for (const h of this.#open) if (h.heroes.length === counts.get(h.site.path)) counts.delete(h.site.path)
    const open = this.#open.flatMap((h) => h.heroes)
    return countryTags(m.realm, m.heroes, counts, detail(camera.cssZoom), camera.project, screen, open, m.hover)
  }

  pick(m: Moment, x: number, y: number): Pick | null {
    const { country, forts } = m.realm.world
    const heroes = m.heroes.flatMap((h) => this.placed(h) ?? [])
    return pickCountry(country.sites, forts, heroes, x, y)
  }

  placed(h: HeroNow): HeroNow | null {
    if (h.room === null) return h
    return this.#open.flatMap((o) => o.heroes).find((x) => x.id === h.id) ?? null
  }

  /**
   * The animated sprites on the ground. If motion is turned off, there are only flames and banners, and they stand
   * still.
   */
  #alive({ realm, now, calm }: Moment, seen: Box): Sprite[] {
    const { country, forts } = realm.world
    const at = calm ? 0 : now
    const lights = [...bannerSprites(forts, at), ...torchSprites(country.sites, at), ...fireSprites(forts, at)]
    if (calm) return lights
    return [
      ...lights,
      ...smokeSprites(country.sites, now),
      ...this.#glints.sprites(seen, now),
      ...animalSprites(this.#animals, now),
    ]
  }

  #change({ country, forts, paths }: RealmModel['world'], now: number): void {
    const was = this.#land
    const same = was.country === country && was.forts === forts
    if (same && (was.paths === paths || now - this.#changed < ROADS_MS)) return
    this.#changed = now
    if (!same) {
      const tiles = country.tiles.width === COUNTRY_SIDE ? decodeGrid(country.tiles) : new Uint8Array(COUNTRY_SIDE ** 2)
      const keep = country.sites.find((s) => s.path === '')
      this.#tiles = cover(tiles, country.sites, forts)
      this.#biomes = biomes(forts, keep)
      this.#built = siteSprites(country.sites, forts)
      this.#lamps = [
        ...country.sites.map((s) => ({ x: s.doorX, y: s.doorY - 0.5, radius: 4, strength: 0.45 })),
        ...forts.map((f) => ({ x: f.x, y: f.y, radius: 5, strength: 0.6 })),
      ]
      this.#watch.key = ''
      this.#collisions.of = null
    }
    const land = looks(this.#tiles, this.#biomes, layerOf(paths, 'worn'))
    this.#glints.show(land)
    this.#ground.show(land, this.#built)
    this.#animals = animals(land, country.sites)
    this.#land = { country, forts, paths }
  }

  /** Lifts the fog around heroes and around houses with heroes in them. */
  #lift(m: Moment): void {
    if (!this.#fog.due(m.ms) && !m.calm) return
    const { country, fog, forts } = m.realm.world
    const counts = inside(m.heroes, country.sites)
    const watchers: { x: number; y: number; radius?: number }[] = []
    for (const h of m.heroes) if (h.room === null) watchers.push({ x: Math.round(h.x), y: Math.round(h.y) })
    const lit = country.sites.filter((s) => s.path === '' || counts.has(s.path))
    for (const s of lit) watchers.push({ x: s.doorX, y: s.doorY - 2, radius: HOUSE_SIGHT })
    const key = watchers.map((w) => `${w.x},${w.y},${w.radius ?? ''}`).join(';')
    const changed = key !== this.#watch.key || fog !== this.#watch.explored || m.tones !== this.#watch.tones
    if (changed) {
      const camps = forts.map((f) => ({ x: f.x - 2, y: f.y - 2, width: 5, height: 5 }))
      const states = visibility(layerOf(fog, 'explored'), watchers)
      this.#watch = { key, explored: fog, tones: m.tones, states: revealWhole(states, [...country.sites, ...camps]) }
    }
    if (!changed && !this.#lifting) return
    this.#lifting = this.#fog.show(this.#watch.states, this.#lamps, m.tones, m.calm)
  }

  #collisionMarks({ country, ...world }: RealmModel['world']): Sprite[] {
    const collisions = world.collisions ?? NONE
    if (this.#collisions.of !== collisions) {
      const { below, top } = collisionsOf(collisions)
      const hit = country.sites.filter((s) => (s.path === '' ? top > 0 : below.has(s.path)))
      this.#collisions = { of: collisions, sprites: collisionSprites(hit) }
    }
    return this.#collisions.sprites
  }
}

/** The animated sprites above everything else, such as birds and clouds. */
function above({ now, calm }: Moment, seen: Box): Sprite[] {
  if (calm) return []
  return [...weatherSprites(weatherAt(Date.now() / 3_600_000), seen, now), ...birdSprites(now)]
}
