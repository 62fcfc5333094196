// The drawn map. It brings together the canvas, the camera, the frames and the scenes; each has its own file. It
// gets the model and reports clicks; it never uses the socket. The page loads this file only when the map is drawn.
import type { MapChange } from '../../net/protocol.gen'
import { roomKey, type RealmModel } from '../../state/model'
import { loadAtlas, type Atlas } from './atlas'
import { Camera } from './camera'
import { listen } from './controls'
import { Country } from './country'
import { Frames, type Pace } from './frames'
import { heroesNow, type HeroNow } from './heroes-now'
import { Overlay } from './overlay'
import type { Pick } from './picking'
import { RoomScene } from './room'
import type { Moment, Scene } from './scene'
import { Surface } from './surface'
import { TILE } from './terrain'
import { Theme } from './theme'
import { WalkClock } from './walking'
import './canvas.css'

export type { Pick } from './picking'

/** The place that is shown: a page of a folder's room, or null for the country. */
export type Place = { path: string; page: number } | null

/** For the debug hook: positions in tiles, frame times in milliseconds. */
export interface StageState {
  ready: boolean
  scene: 'country' | 'room'
  zoom: number
  center: { x: number; y: number }
  heroes: readonly { id: string; room: string | null; x: number; y: number; frame: string; walking: boolean }[]
  following: string | null
  frames: readonly number[]
}

/** How far one key press moves the camera, in pixels of the page. */
const KEY_STEP = 64

export class Stage {
  readonly #host: HTMLElement
  readonly #labels = document.createElement('div')
  readonly #overlay: Overlay
  readonly #onPick: (pick: Pick | null) => void
  readonly #clock = new WalkClock()
  readonly #camera = new Camera()
  readonly #theme: Theme
  readonly #frames = new Frames((now, ms) => this.#frame(now, ms))
  #drawn: { surface: Surface; country: Country; room: RoomScene; stop: () => void } | null = null
  #realm: RealmModel | null = null
  #place: Place = null
  #calm = false
  #following: string | null = null
  #heroes: HeroNow[] = []
  /** Whether a frame has shown a scene. */
  #shown = false
  #gone = false

  /**
   * Draws into parent with the atlas in the given folder. onPick gets what was clicked, null for nothing. onFail is
   * called if the atlas cannot be loaded.
   */
  constructor(parent: HTMLElement, atlas: string, onPick: (pick: Pick | null) => void, onFail: () => void) {
    this.#host = parent
    this.#onPick = onPick
    this.#theme = new Theme(parent)
    this.#labels.className = 'tags'
    // Screen readers skip the labels, because the map's list has the same content.
    this.#labels.setAttribute('aria-hidden', 'true')
    this.#overlay = new Overlay(this.#labels)
    loadAtlas(atlas)
      .then((a) => {
        if (!this.#gone) this.#build(a)
      })
      .catch(() => {
        if (!this.#gone) onFail()
      })
  }

  #build(atlas: Atlas): void {
    const surface = new Surface(this.#host, () => {
      this.#camera.resize(surface.size, surface.ratio)
      this.#frames.now()
    })
    this.#camera.resize(surface.size, surface.ratio)
    const pick = (x: number, y: number): Pick | null => {
      const m = this.#moment(performance.now(), 0)
      const at = this.#camera.tile(x, y)
      return (m && this.#scene()?.pick(m, at.x, at.y)) ?? null
    }
    const stop = listen(this.#host, {
      pan: (dx, dy) => this.#slide(dx, dy),
      step: (direction, x, y) => this.#look(() => this.#camera.step(direction, x, y)),
      pinch: (factor, x, y) => this.#look(() => this.#camera.pinch(factor, x, y)),
      pinched: () => this.#look(() => this.#camera.snap()),
      tap: (x, y) => this.#onPick(pick(x, y)),
      // On a hero the secondary button does what a tap does. Elsewhere it does nothing.
      menu: (x, y) => {
        const p = pick(x, y)
        if (p?.kind === 'hero') this.#onPick(p)
      },
    })
    this.#drawn = { surface, country: new Country(atlas), room: new RoomScene(atlas), stop }
    this.#host.append(this.#labels)
    this.#frames.now()
  }

  get #room(): MapChange | null {
    return this.#place && this.#realm ? (this.#realm.rooms[roomKey(this.#place.path, this.#place.page)] ?? null) : null
  }

  /**
   * Takes the current state of the realm. attach: a text that differs after each attach. calm: whether motion is turned
   * off.
   */
  update(realm: RealmModel | null, attach: string, calm: boolean): void {
    if (realm?.id !== this.#realm?.id) this.#camera.forget()
    this.#realm = realm
    this.#calm = calm
    if (realm) this.#clock.follow(attach, realm.world.agents, realm.places, performance.now())
    this.#frames.request()
  }

  /** Shows the country or a room. Until the room has arrived, the previous place stays. */
  show(place: Place): void {
    this.#place = place
    this.#following = null
    this.#frames.request()
  }

  /** Keeps the camera on a hero; null releases it. */
  follow(id: string | null): void {
    this.#following = id
    this.#frames.request()
  }

  zoom(direction: 1 | -1): void {
    this.#look(() => this.#camera.step(direction))
  }

  /** Moves the camera by steps. */
  pan(dx: number, dy: number): void {
    this.#slide(-dx * KEY_STEP, -dy * KEY_STEP)
  }

  /** Moves the camera to a tile of the country. */
  lookAt(x: number, y: number): void {
    if (this.#place !== null) return
    this.#following = null
    this.#look(() => this.#camera.centre(x, y))
  }

  get state(): StageState {
    const { x, y, zoom } = this.#camera.view
    return {
      ready: this.#drawn !== null,
      scene: this.#place === null ? 'country' : 'room',
      zoom,
      center: { x: x / TILE, y: y / TILE },
      heroes: this.#heroes.map(({ id, room, x, y, frame, moving }) => ({ id, room, x, y, frame, walking: moving })),
      following: this.#following,
      frames: [...this.#frames.samples],
    }
  }

  /** The part of the country that the camera sees, in tiles; null in a room. */
  get view(): { x: number; y: number; width: number; height: number } | null {
    if (this.#place !== null || !this.#drawn) return null
    const { left, top, right, bottom } = this.#camera.seen
    return { x: left / TILE, y: top / TILE, width: (right - left) / TILE, height: (bottom - top) / TILE }
  }

  destroy(): void {
    if (this.#gone) return
    this.#gone = true
    this.#frames.end()
    this.#drawn?.stop()
    this.#drawn?.surface.remove()
    this.#labels.remove()
  }

  #moment(now: number, ms: number): Moment | null {
    const realm = this.#realm
    return realm && { realm, heroes: this.#heroes, now, ms, calm: this.#calm, tones: this.#theme.tones(now) }
  }

  /** The scene of the place; null until its room has arrived. */
  #scene(): Scene | null {
    if (!this.#drawn) return null
    if (this.#place === null) return this.#drawn.country
    const room = this.#room
    if (!room) return null
    this.#drawn.room.show(room)
    return this.#drawn.room
  }

  #frame(now: number, ms: number): Pace {
    const surface = this.#drawn?.surface
    if (!surface || surface.size.width === 0) return 'still'
    if (this.#realm) this.#heroes = heroesNow(this.#realm, this.#clock, now, this.#calm)
    const m = this.#moment(now, ms)
    const scene = m && this.#scene()
    if (!m || !scene) return this.#wait(surface)
    const room = this.#place && this.#room
    const at = room ? `room ${room.path} ${room.page}` : 'country'
    const entered = this.#camera.enter(at, scene.world, () => scene.begin(m, surface.size, surface.ratio))
    if (entered) this.#overlay.clear()
    this.#followHero(room?.path ?? null)
    const pace = scene.draw(surface.pen, this.#camera, m)
    this.#overlay.show(scene.tags(this.#camera, m, surface.css))
    this.#shown = true
    return pace
  }

  /** Before the first frame the canvas has the colour of the page; later the last picture stays. */
  #wait({ pen, size }: Surface): Pace {
    if (this.#shown) return 'still'
    pen.setTransform(1, 0, 0, 1, 0, 0)
    pen.fillStyle = this.#theme.tones(performance.now()).beyond
    pen.fillRect(0, 0, size.width, size.height)
    return 'still'
  }

  #followHero(room: string | null): void {
    const followed = this.#heroes.find((h) => h.id === this.#following)
    if (followed && followed.room === room) this.#camera.centre(followed.x, followed.y)
  }

  /** Moves the camera by pixels of the page and stops following a hero. */
  #slide(dx: number, dy: number): void {
    this.#following = null
    this.#look(() => this.#camera.slide(dx, dy))
  }

  #look(move: () => void): void {
    move()
    this.#frames.request()
  }
}
