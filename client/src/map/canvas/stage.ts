// The drawn map. It connects the canvas, the camera, the frames and the scenes, which have their own files. It
// receives the state of the realm and reports clicks; it never uses the socket. The page loads this file only when
// the map is drawn.
import type { Agent, MapChange, Walk } from '../../net/protocol.gen'
import { roomKey, type RealmModel } from '../../state/model'
import type { Speed } from '../../speech-speed'
import { heroesOf } from '../../state/heroes'
import type { Sealed } from '../../state/sealed'
import { approach } from '../director/approach'
import type { Standing } from '../director/candidates'
import { loadAtlas, type Atlas } from './atlas'
import { besideControls } from './beside'
import { Camera } from './camera'
import { listen } from './controls'
import { Country } from './country'
import { Covers, isVisible } from './covers'
import { Frames, type Pace } from './frames'
import { Glimpse } from './glimpse'
import { heroSprite } from './heroes'
import { alike, HeroesNow, type HeroNow } from './heroes-now'
import { Overlay } from './overlay'
import type { Pick } from './picking'
import { RoomScene } from './room'
import { placeKey, type Place } from './place'
import type { Moment, Scene } from './scene'
import { Standers } from './slots'
import { Spoken } from './spoken'
import { Surface } from './surface'
import { TILE } from './terrain'
import { Theme } from './theme'
import { boxOfTiles, isSameBox, type Box, type Size, type View } from './view'
import { WalkClock, type Position } from './walking'
import { walkHome } from './ways'
import './canvas.css'

export type { Pick } from './picking'

/**
 * What is drawn, and where. at: the key of the place. zoom: CSS pixels for one pixel of the atlas. width and
 * height: the size of the canvas. controls: the boxes of the map's controls over the canvas.
 */
export interface Projection {
  at: string
  project: (x: number, y: number) => { x: number; y: number }
  zoom: number
  width: number
  height: number
  controls: readonly Box[]
}

/**
 * The subject that the director shows: the id of a hero, or '' for the whole place; null if a person moves the
 * camera.
 */
type Aim = string | null

/**
 * A hero for the debug hook. file is the file at which it stands or to which it walks, box is where it is drawn, in
 * pixels of the page from the corner of the canvas; null if its place is not shown.
 */
interface HeroState {
  id: string
  room: string | null
  page: number
  x: number
  y: number
  frame: string
  walking: boolean
  file: string
  says: string
  box: { left: number; top: number; width: number; height: number } | null
}

/** For the debug hook: positions in tiles, frame times in milliseconds. */
export interface StageState {
  ready: boolean
  scene: 'country' | 'room'
  zoom: number
  center: { x: number; y: number }
  heroes: readonly HeroState[]
  following: string | null
  frames: readonly number[]
}

/**
 * How long the cached boxes of the map's controls are used while the camera stands still and no control has come, gone
 * or changed its size, in milliseconds.
 */
const OVER_MS = 1000

/** The director's zoom on a hero: CSS pixels for one pixel of the atlas. */
const CLOSE = 2
/** The height of a hero's name below its feet, in CSS pixels. */
const NAME = 20
/** From this zoom on a hero is 24 CSS pixels high, and counts as in view. */
const RECOGNISED = 0.75
/** How far one key press moves the camera, in CSS pixels. */
const KEY_STEP = 64

export class Stage {
  readonly #host: HTMLElement
  readonly #labels = document.createElement('div')
  readonly #overlay: Overlay
  readonly #covers: Covers
  readonly #onPick: (pick: Pick | null) => void
  readonly #clock = new WalkClock()
  readonly #spoken = new Spoken()
  readonly #now = new HeroesNow({ clock: this.#clock, slots: new Standers(), spoken: this.#spoken })
  readonly #watchers = new Set<(p: Projection) => void>()
  readonly #camera = new Camera()
  readonly #theme: Theme
  readonly #frames = new Frames(
    (now, ms) => this.#frame(now, ms),
    () => isVisible(this.#host),
  )
  #drawn: { surface: Surface; atlas: Atlas; country: Country; room: RoomScene; stop: () => void } | null = null
  #realm: RealmModel | null = null
  #place: Place = null
  #calm = false
  #aim: Aim = null
  /** The small picture of a second scene; null if the map shows none. */
  #glimpse: Glimpse | null = null
  #heroes: HeroNow[] = []
  /** The number of frames so far in which heroes have changed (see Moment.stirs). */
  #stirs = 0
  /** The number of calls of update. Each call can change the names. */
  #updates = 0
  /** What the shown names were computed from. They are computed again only if a part of it has changed. */
  #named: readonly unknown[] = []
  /** The heroes as they are drawn, for the director; null before it asks for those of this frame. */
  #standing: Standing[] | null = null
  #hover: Pick | null = null
  /**
   * The boxes of controls and marks over the drawing. They are cached, because reading them makes the browser lay
   * out the page. key: the place and view at the time of the read. at: that time.
   */
  readonly #over: Record<'controls' | 'fixed' | 'marks', readonly Box[]> & { key: string; at: number } = {
    key: '',
    at: 0,
    controls: [],
    fixed: [],
    marks: [],
  }
  #marked = ''
  /** Whether the camera still has to move to the marked file, when the file's room is shown. */
  #seeks = false
  /** The scene of the newest frame and the key of its place; null before the first frame of the realm. */
  #last: { at: string; scene: Scene } | null = null
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
    this.#covers = new Covers(parent, () => {
      this.#over.key = ''
      this.#frames.request()
    })
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
      const at = this.#camera.point(x, y)
      return (m && this.#scene()?.pick(m, at.x, at.y)) ?? null
    }
    const stop = listen(this.#host, {
      pan: (dx, dy) => this.#slide(dx, dy),
      step: (direction, x, y) => this.#look(() => this.#camera.step(direction, x, y)),
      pinch: (factor, x, y) => this.#look(() => this.#camera.pinch(factor, x, y)),
      pinched: () => this.#look(() => this.#camera.snap()),
      tap: (x, y) => this.#onPick(pick(x, y)),
      // A click of the secondary button on a hero is the same as a tap. Elsewhere it does nothing.
      menu: (x, y) => {
        const p = pick(x, y)
        if (p?.kind === 'hero') this.#onPick(p)
      },
      hover: (x, y) => this.#point(pick(x, y)),
      left: () => this.#point(null),
    })
    this.#drawn = { surface, atlas, country: new Country(atlas), room: new RoomScene(atlas), stop }
    this.#host.append(this.#labels)
    this.#frames.now()
  }

  /** Stores what the mouse is over, and redraws. */
  #point(hover: Pick | null): void {
    if (keyOf(hover) === keyOf(this.#hover)) return
    this.#hover = hover
    this.#host.style.cursor = hover ? 'pointer' : ''
    this.#frames.request()
  }

  get #room(): MapChange | null {
    return this.#place && this.#realm ? (this.#realm.rooms[roomKey(this.#place.path, this.#place.page)] ?? null) : null
  }

  /**
   * Sets the state of the realm. attach: a text that differs each time that the page begins to watch the realm,
   * also after a reconnect. calm: whether motion is turned off. sealed: the answers that the person does not see yet.
   */
  update(realm: RealmModel | null, attach: string, calm: boolean, sealed: Sealed | null): void {
    if (realm?.id !== this.#realm?.id) {
      this.#camera.forget()
      this.#last = null
    }
    this.#realm = realm
    this.#updates++
    this.#calm = calm
    if (realm) {
      const busy = realm.world.processState.status === 'running'
      const { world } = realm
      const wayHome = (from: Position, to: Agent): Walk | null => walkHome(world, from, [to.x, to.y])
      this.#clock.follow(attach, heroesOf(world), realm.places, performance.now(), busy, wayHome)
      this.#spoken.hear(realm, attach, sealed)
    }
    this.#frames.request()
  }

  /** Shows the country or a room. Until the room has arrived, the previous place stays. */
  show(place: Place): void {
    this.#place = place
    this.#frames.request()
  }

  /** Makes the camera follow a hero, or shows the whole place for ''; null leaves the camera where it is. */
  aim(aim: Aim): void {
    this.#aim = aim
    this.#frames.request()
  }

  /** Marks a file by its path when its room is shown, and moves the camera to the file once; '' marks none. */
  mark(path: string): void {
    this.#marked = path
    this.#seeks = path !== ''
    this.#frames.request()
  }

  /** Draws with the colours of the page's theme, which may have changed. */
  retone(): void {
    this.#theme.forget()
    this.#frames.request()
  }

  set speed(speed: Speed) {
    this.#spoken.speed = speed
  }

  /** Calls f after each frame, until the returned function is called. */
  watch(f: (p: Projection) => void): () => void {
    this.#watchers.add(f)
    this.#over.key = ''
    this.#frames.request()
    return () => this.#watchers.delete(f)
  }

  /** The heroes as they are drawn; null before the first frame. */
  get standing(): Standing[] | null {
    if (!this.#last) return null
    this.#standing ??= this.#heroes.map((h) => {
      const { id, name, room, page, file, moving, says } = h
      return { id, name, room, page, file, walking: moving, speaks: says !== undefined, inView: this.#sees(h) }
    })
    return this.#standing
  }

  /** Draws the surroundings of a hero into another canvas as well, until the returned function is called. */
  glimpse(canvas: HTMLCanvasElement, hero: string): () => void {
    if (!this.#drawn) return () => undefined
    const glimpse = new Glimpse(canvas, hero, this.#drawn.atlas, this.#drawn.country)
    this.#glimpse = glimpse
    this.#frames.request()
    return () => {
      if (this.#glimpse === glimpse) this.#glimpse = null
    }
  }

  zoom(direction: 1 | -1): void {
    this.#look(() => this.#camera.step(direction))
  }

  /** Moves the camera as dx key presses to the right and dy key presses down do. */
  pan(dx: number, dy: number): void {
    this.#slide(-dx * KEY_STEP, -dy * KEY_STEP)
  }

  /** Moves the camera to a tile of the country. */
  lookAt(x: number, y: number): void {
    if (this.#place !== null) return
    this.#look(() => this.#camera.centre(x, y))
  }

  get state(): StageState {
    const { x, y, zoom } = this.#camera.view
    return {
      ready: this.#drawn !== null,
      scene: this.#place === null ? 'country' : 'room',
      zoom,
      center: { x: x / TILE, y: y / TILE },
      heroes: this.#heroes.map((h) => this.#heroState(h)),
      following: this.#aim || null,
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
    this.#covers.stop()
    this.#watchers.clear()
    this.#drawn?.stop()
    this.#drawn?.surface.remove()
    this.#labels.remove()
  }

  #moment(now: number, ms: number): Moment | null {
    const realm = this.#realm
    if (!realm) return null
    const tones = this.#theme.tones(now)
    const [heroes, stirs, calm, hover, marked] = [this.#heroes, this.#stirs, this.#calm, this.#hover, this.#marked]
    return { realm, heroes, stirs, now, ms, calm, hover, marked, tones }
  }

  /** The scene (the country or a room) of the place that the map shows; null until the room has arrived. */
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
    if (!surface || surface.size.width === 0 || surface.size.height === 0) return 'still'
    if (this.#realm) this.#stir(this.#now.at(this.#realm, now, this.#calm))
    const m = this.#moment(now, ms)
    const here = m && this.#scene()
    // Until a room arrives, the previous place is drawn again, because a canvas is empty after a change of its size.
    const drawn = here ? { at: placeKey(this.#place), scene: here } : this.#last
    if (!m || !drawn) return this.#wait(surface)
    this.#last = drawn
    const { at, scene } = drawn
    const begin = (): View => scene.begin(m, surface.size, surface.ratio, this.#over.fixed)
    if (this.#camera.enter(at, scene.world, begin)) this.#clear()
    this.#seek()
    const moving = this.#moveCamera(scene, ms, begin)
    const pace = scene.draw(surface.pen, this.#camera, m)
    const { project, cssZoom } = this.#camera
    const look = this.#looks(at, now)
    if (look) {
      this.#over.controls = kept(this.#over.controls, this.#covers.controls)
      this.#over.fixed = kept(this.#over.fixed, this.#covers.fixed)
    }
    const { controls } = this.#over
    for (const f of this.#watchers) f({ at, project, zoom: cssZoom, ...surface.css, controls })
    if (look) this.#over.marks = kept(this.#over.marks, this.#covers.marks)
    this.#name(at, scene, m, surface.css)
    this.#glimpse?.draw(m)
    if (moving) return 'moving'
    // With reduced motion nothing moves, but bubbles still appear and disappear.
    return pace === 'still' && this.#heroes.some((h) => h.says) ? 'living' : pace
  }

  /** Stores the heroes of a frame, and counts the frame in #stirs if they have changed. */
  #stir(heroes: HeroNow[]): void {
    if (!alike(heroes, this.#heroes)) this.#stirs++
    this.#heroes = heroes
    this.#standing = null
  }

  #clear(): void {
    this.#overlay.clear()
    this.#named = []
  }

  /** Updates the names and bubbles, if something on which they depend has changed since the last frame. */
  #name(at: string, scene: Scene, m: Moment, css: Size): void {
    const { controls, marks } = this.#over
    const { view } = this.#camera
    const { hover, marked } = m
    const size = [css.width, css.height]
    const now = [at, this.#updates, m.stirs, view.x, view.y, view.zoom, ...size, keyOf(hover), marked, controls, marks]
    if (now.length === this.#named.length && now.every((x, i) => x === this.#named[i])) return
    this.#named = now
    this.#overlay.show(scene.tags(this.#camera, m, { ...css, taken: [...controls, ...marks] }))
  }

  /** Whether this frame has to read the boxes over the drawing again. */
  #looks(at: string, now: number): boolean {
    const { view, screen } = this.#camera
    const key = `${at} ${view.x} ${view.y} ${view.zoom} ${screen.width} ${screen.height}`
    if (key === this.#over.key && now - this.#over.at < OVER_MS) return false
    this.#over.key = key
    this.#over.at = now
    return true
  }

  /** Fills the canvas with the page's colour, while there is nothing to draw. */
  #wait({ pen, size }: Surface): Pace {
    pen.setTransform(1, 0, 0, 1, 0, 0)
    pen.fillStyle = this.#theme.tones(performance.now()).beyond
    pen.fillRect(0, 0, size.width, size.height)
    return 'still'
  }

  /** Moves the camera to the marked file if the camera does not show it. */
  #seek(): void {
    const file = this.#seeks && this.#room?.room.objects?.find((o) => o.path === this.#marked)
    if (!file) return
    this.#seeks = false
    const { left, top, right, bottom } = this.#camera.seen
    const [x, y] = [(file.x + 0.5) * TILE, (file.y + 0.5) * TILE]
    if (x < left || x > right || y < top || y > bottom - 2 * TILE) this.#camera.centre(file.x, file.y)
  }

  /** Moves the director's camera. Returns whether the camera has not reached its aim yet. */
  #moveCamera(scene: Scene, ms: number, whole: () => View): boolean {
    if (this.#aim === null) return false
    const known = this.#heroes.find((h) => h.id === this.#aim)
    const hero = known && scene.placed(known)
    if (this.#aim !== '' && !hero) return false
    const { view } = this.#camera
    const to = hero ? this.#follow(hero) : this.#camera.within(whole())
    this.#camera.set(approach(view, to, ms, this.#calm))
    const now = this.#camera.view
    return now.x !== view.x || now.y !== view.y || now.zoom !== view.zoom
  }

  /** The view that follows a hero: the hero in the middle or, if a control covers it there, beside the control. */
  #follow({ x, y }: HeroNow): View {
    const { ratio, screen } = this.#camera
    const to = this.#camera.within({ x: (x + 0.5) * TILE, y: (y + 0.5) * TILE, zoom: CLOSE * ratio })
    const name = (NAME * ratio) / to.zoom
    const hero = boxOfTiles({ left: x - 0.25, right: x + 1.25, top: y - 1, bottom: y + 1 })
    return besideControls(to, {
      hero: { ...hero, bottom: hero.bottom + name },
      screen,
      ratio,
      controls: this.#over.fixed,
      within: (v) => this.#camera.within(v),
    })
  }

  /** Whether a hero is drawn within the screen, and large enough to be recognised. */
  #sees(h: HeroNow): boolean {
    const at = this.#scene()?.placed(h)
    const size = this.#drawn?.surface.css
    if (!at || !size || this.#camera.cssZoom < RECOGNISED) return false
    const { x, y } = this.#camera.project(at.x + 0.5, at.y)
    return x > 0 && y > 0 && x < size.width && y < size.height
  }

  #heroState(h: HeroNow): HeroState {
    const { id, room, page, x, y, frame, moving, file, says } = h
    const drawn = this.#scene()?.placed(h) ?? null
    const s = heroSprite(drawn ?? h)
    const piece = drawn ? this.#drawn?.atlas.get(s.piece) : undefined
    const [at, zoom] = [this.#camera.project(s.x / TILE, s.y / TILE), this.#camera.cssZoom]
    const box = piece && {
      left: at.x - (piece.w / 2) * zoom,
      top: at.y - piece.h * zoom,
      width: piece.w * zoom,
      height: piece.h * zoom,
    }
    return { id, room, page, x, y, frame, walking: moving, file, says: says ?? '', box: box ?? null }
  }

  /** Moves the camera by CSS pixels. */
  #slide(dx: number, dy: number): void {
    this.#look(() => this.#camera.slide(dx, dy))
  }

  /** Moves the camera by the person's hand. The director's next frame would undo it, so he loses his aim at once. */
  #look(move: () => void): void {
    this.#aim = null
    move()
    this.#frames.request()
  }
}

/** The new boxes; the old array if they are the same, so that nothing is computed again from it. */
function kept(old: readonly Box[], now: readonly Box[]): readonly Box[] {
  return old.length === now.length && now.every((b, i) => isSameBox(b, old[i]!)) ? old : now
}

function keyOf(p: Pick | null): string {
  return p === null ? '' : `${p.kind} ${'id' in p ? p.id : p.path}`
}
