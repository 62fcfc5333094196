// The small picture of a second scene: the surroundings of one hero, without light, fog and names. It is painted only
// when something in it has changed.
import type { MapChange } from '../../net/protocol.gen'
import { roomKey } from '../../state/model'
import type { Atlas, Pen } from './atlas'
import type { Frame } from './backdrop'
import type { Country } from './country'
import type { HeroNow } from './heroes-now'
import { RoomScene } from './room'
import type { Moment } from './scene'
import { TILE } from './terrain'
import { clampView, meets, seenFrom, type Size } from './view'

/** The zoom in CSS pixels for one pixel of the atlas. */
const ZOOM = 2

export class Glimpse {
  readonly #g: Pen
  readonly #hero: string
  readonly #size: Size
  readonly #zoom: number
  readonly #country: Country
  readonly #atlas: Atlas
  #room: RoomScene | null = null
  /** The inputs of the last paint. The picture is painted again only if one of them differs. */
  #painted: readonly unknown[] = []

  /** Draws into the canvas, whose size is that of its box on the page. country: the scene that the main view uses. */
  constructor(canvas: HTMLCanvasElement, hero: string, atlas: Atlas, country: Country) {
    const ratio = Math.min(3, Math.max(1, globalThis.devicePixelRatio || 1))
    canvas.width = Math.round(canvas.clientWidth * ratio)
    canvas.height = Math.round(canvas.clientHeight * ratio)
    const g = canvas.getContext('2d', { alpha: false })
    if (!g) throw new Error('no 2D context')
    this.#g = g
    this.#hero = hero
    this.#size = { width: canvas.width, height: canvas.height }
    this.#zoom = ZOOM * ratio
    this.#country = country
    this.#atlas = atlas
  }

  /** Paints the picture, if something in it has changed since the last call. */
  draw(m: Moment): void {
    const hero = m.heroes.find((h) => h.id === this.#hero)
    const change = hero && hero.room !== null ? m.realm.rooms[roomKey(hero.room, hero.page)] : null
    if (!hero || change === undefined) return // the room has not arrived yet
    const scene = change ? this.#roomOf(change) : this.#country
    const frame = this.#around(hero, scene.world)
    const near = m.heroes.filter(
      (h) =>
        h.room === hero.room &&
        h.page === hero.page &&
        meets(frame.seen, (h.x - 2) * TILE, (h.y - 2) * TILE, 5 * TILE, 5 * TILE),
    )
    const { country, forts, paths, findings, collisions } = m.realm.world
    const drawn = near.map((h) => `${h.id} ${h.frame} ${h.x} ${h.y} ${h.color}`).join()
    const ground = change ? [change, findings, collisions] : [country, forts, paths]
    const now = [drawn, frame.left, frame.top, m.tones, ...ground]
    if (now.length === this.#painted.length && now.every((x, i) => x === this.#painted[i])) return
    this.#painted = now
    this.#g.setTransform(1, 0, 0, 1, 0, 0)
    this.#g.fillStyle = m.tones.beyond
    this.#g.fillRect(0, 0, this.#size.width, this.#size.height)
    scene.glimpse(this.#g, frame, m, near)
  }

  #roomOf(change: MapChange): RoomScene {
    this.#room ??= new RoomScene(this.#atlas)
    this.#room.show(change)
    return this.#room
  }

  /** The part of the map around a hero. */
  #around(h: HeroNow, world: Size): Frame {
    const at = { x: (h.x + 0.5) * TILE, y: h.y * TILE, zoom: this.#zoom }
    const view = clampView(at, this.#size, world)
    const left = Math.round(view.x * view.zoom - this.#size.width / 2)
    const top = Math.round(view.y * view.zoom - this.#size.height / 2)
    return { seen: seenFrom(view, this.#size), zoom: view.zoom, left, top }
  }
}
