// The engine of the drawn map. It owns Phaser, the camera, and the decision when a frame is drawn. It gets the model
// and reports clicks; it never uses the socket. The page loads this file, and Phaser with it, only when the map is
// drawn.
import * as Phaser from 'phaser'
import type { Collision, MapChange } from '../../net/protocol.gen'
import { roomKey, type RealmModel } from '../../state/model'
import { COUNTRY_SIDE, decodeGrid } from '../../state/grid'
import { collisionsOf } from '../collisions'
import { Brush } from './atlas'
import { Boot } from './boot'
import { listen } from './controls'
import { Fog } from './fog'
import { Ground } from './ground'
import { Heroes } from './heroes'
import { heroesNow, inside, type HeroNow } from './heroes-now'
import { Light, type Lamp } from './light'
import { Overlay } from './overlay'
import { pickCountry, pickRoom, type Pick } from './picking'
import { NIGHT_STYLE } from './palette'
import { RoomView } from './room'
import { visibility, revealWhole } from './visibility'
import { Sites } from './sites'
import { countryTags, roomTags } from './tags'
import { biomes, cover, layerOf, looks, TILE } from './terrain'
import {
  clampView,
  detail,
  fitZoom,
  meets,
  seenFrom,
  snapZoom,
  stepZoom,
  tileAt,
  toScreen,
  zoomAt,
  type Size,
  type View,
} from './view'
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

/** Milliseconds between frames while only water and banners move. */
const CALM_MS = 280
/** Milliseconds between frames with reduced motion, while only glows go out. */
const STILL_MS = 2000
/** How far one key press moves the camera, in CSS pixels. */
const KEY_STEP = 64
/** The maximum number of places whose camera is remembered. */
const KEPT_VIEWS = 50
/** The maximum number of frame times that are kept for the debug hook; the oldest are dropped. */
const SAMPLES = 240
const NONE: readonly Collision[] = []
const COUNTRY: Size = { width: COUNTRY_SIDE * TILE, height: COUNTRY_SIDE * TILE }

export class Stage {
  readonly #host: HTMLElement
  readonly #overlay: Overlay
  readonly #labels: HTMLElement
  readonly #onPick: (pick: Pick | null) => void
  readonly #game: Phaser.Game
  readonly #clock = new WalkClock()
  readonly #stop: (() => void)[] = []
  readonly #frames: number[] = []
  #scene!: Phaser.Scene
  #country!: Phaser.GameObjects.Layer
  #inner!: Phaser.GameObjects.Layer
  #ground!: Ground
  #sites!: Sites
  #fog!: Fog
  #heroes!: Heroes
  #heroesIn!: Heroes
  #light!: Light
  #lightIn!: Light
  #within!: RoomView
  #realm: RealmModel | null = null
  #place: Place = null
  #calm = false
  #following: string | null = null
  #ready = false
  #screen: Size = { width: 1, height: 1 }
  #views = new Map<string, View>()
  #view: View = { x: COUNTRY.width / 2, y: COUNTRY.height / 2, zoom: 1 }
  #at = ''
  #looks: Uint16Array = new Uint16Array(0)
  #states: Uint8Array = new Uint8Array(0)
  #seen: { country: unknown; forts: unknown; paths: unknown } = { country: null, forts: null, paths: null }
  /** The collisions that the houses show; null before the first. */
  #collisions: readonly Collision[] | null = null
  #watchKey = ''
  #explored: unknown = null
  #lifting = false
  #now: HeroNow[] = []
  #last = 0
  #timer = 0
  #raf = 0
  #gone = false

  /**
   * Draws into parent with the atlas in the given folder. onPick gets what was clicked, null for nothing. onFail is
   * called if the atlas cannot be loaded.
   */
  constructor(parent: HTMLElement, atlas: string, onPick: (pick: Pick | null) => void, onFail: () => void) {
    this.#host = parent
    this.#onPick = onPick
    this.#labels = document.createElement('div')
    this.#labels.className = 'tags'
    // Screen readers skip the labels, because the map's list has the same content.
    this.#labels.setAttribute('aria-hidden', 'true')
    this.#overlay = new Overlay(this.#labels)
    this.#game = new Phaser.Game({
      type: Phaser.AUTO,
      parent,
      width: 16,
      height: 16,
      scale: { mode: Phaser.Scale.NONE },
      pixelArt: true,
      maxTextures: 1, // nearly all pieces are on one texture, and a shader for one texture is faster
      backgroundColor: NIGHT_STYLE,
      banner: false,
      audio: { noAudio: true },
      input: { keyboard: false, mouse: false, touch: false, gamepad: false },
      scene: new Boot(
        atlas,
        (scene) => {
          if (!this.#gone) this.#build(scene)
        },
        () => {
          if (!this.#gone) onFail()
        },
      ),
    })
  }

  #build(scene: Phaser.Scene): void {
    this.#scene = scene
    const brush = new Brush(scene)
    this.#country = scene.add.layer()
    this.#inner = scene.add.layer().setVisible(false)
    this.#ground = new Ground(scene, this.#country, brush)
    this.#sites = new Sites(scene, this.#country)
    this.#heroes = new Heroes(scene, this.#country)
    this.#light = new Light(scene, this.#country, 5000)
    this.#fog = new Fog(scene, this.#country)
    this.#within = new RoomView(scene, this.#inner, brush)
    this.#heroesIn = new Heroes(scene, this.#inner)
    this.#lightIn = new Light(scene, this.#inner, 5000)
    this.#ready = true
    // Ends Phaser's own loop. From here on this class draws a frame only when something moves.
    this.#game.loop.stop()
    const resize = new ResizeObserver(() => this.#resize())
    resize.observe(this.#host)
    const seen = (): void => this.invalidate()
    document.addEventListener('visibilitychange', seen)
    this.#stop.push(
      () => resize.disconnect(),
      () => document.removeEventListener('visibilitychange', seen),
      listen(this.#host, {
        pan: (dx, dy) => this.#slide(dx, dy),
        step: (direction, x, y) => this.#zoomTo(stepZoom(this.#view.zoom, direction, this.#fit), x, y),
        pinch: (factor, x, y) => this.#zoomTo(Math.min(4, Math.max(this.#fit, this.#view.zoom * factor)), x, y),
        pinched: () => this.#zoomTo(snapZoom(this.#view.zoom, this.#fit), this.#css.width / 2, this.#css.height / 2),
        tap: (x, y) => this.#onPick(this.#pick(x, y)),
        // On a hero the secondary button does what a tap does. Elsewhere it does nothing.
        menu: (x, y) => {
          const p = this.#pick(x, y)
          if (p?.kind === 'hero') this.#onPick(p)
        },
      }),
    )
    this.#host.append(this.#labels)
    this.#resize()
  }

  get #ratio(): number {
    return Math.min(3, Math.max(1, globalThis.devicePixelRatio || 1))
  }

  get #room(): MapChange | null {
    return this.#place && this.#realm ? (this.#realm.rooms[roomKey(this.#place.path, this.#place.page)] ?? null) : null
  }

  get #world(): Size {
    const room = this.#room?.room
    return room ? { width: room.width * TILE, height: room.height * TILE } : COUNTRY
  }

  get #fit(): number {
    return fitZoom(this.#screen, this.#world)
  }

  /**
   * Takes the current state of the realm. attach: a text that differs after each attach. calm: whether motion is turned
   * off.
   */
  update(realm: RealmModel | null, attach: string, calm: boolean): void {
    if (realm?.id !== this.#realm?.id) {
      this.#views.clear()
      this.#at = ''
    }
    this.#realm = realm
    this.#calm = calm
    if (realm) this.#clock.follow(attach, realm.world.agents, realm.places, performance.now())
    this.invalidate()
  }

  /** Shows the country or a room. Until the room has arrived, the previous place stays. */
  show(place: Place): void {
    this.#place = place
    this.#following = null
    this.invalidate()
  }

  /** Keeps the camera on a hero; null releases it. */
  follow(id: string | null): void {
    this.#following = id
    this.invalidate()
  }

  zoom(direction: 1 | -1): void {
    this.#zoomTo(stepZoom(this.#view.zoom, direction, this.#fit), this.#css.width / 2, this.#css.height / 2)
  }

  /** Moves the camera by steps. */
  pan(dx: number, dy: number): void {
    this.#slide(-dx * KEY_STEP, -dy * KEY_STEP)
  }

  /** Moves the camera to a tile of the country. */
  lookAt(x: number, y: number): void {
    if (this.#place !== null) return
    this.#following = null
    this.#move({ ...this.#view, x: (x + 0.5) * TILE, y: (y + 0.5) * TILE })
  }

  get state(): StageState {
    return {
      ready: this.#ready,
      scene: this.#place === null ? 'country' : 'room',
      zoom: this.#view.zoom,
      center: { x: this.#view.x / TILE, y: this.#view.y / TILE },
      heroes: this.#now.map(({ id, room, x, y, frame, moving }) => ({ id, room, x, y, frame, walking: moving })),
      following: this.#following,
      frames: [...this.#frames],
    }
  }

  /** The part of the country that the camera sees, in tiles; null in a room. */
  get view(): { x: number; y: number; width: number; height: number } | null {
    if (this.#place !== null || !this.#ready) return null
    const width = this.#screen.width / this.#view.zoom / TILE
    const height = this.#screen.height / this.#view.zoom / TILE
    return { x: this.#view.x / TILE - width / 2, y: this.#view.y / TILE - height / 2, width, height }
  }

  /** The camera of a place that is shown for the first time: on the keep in the country, on the whole of a room. */
  #begin(realm: RealmModel): View {
    const room = this.#room?.room
    if (room) return { x: (room.width * TILE) / 2, y: (room.height * TILE) / 2, zoom: Math.max(this.#fit, this.#ratio) }
    const keep = realm.world.country.sites.find((s) => s.path === '')
    const zoom = Math.max(1, Math.min(4, Math.round(Math.min(this.#screen.width, this.#screen.height) / (TILE * 30))))
    return {
      x: keep ? (keep.x + keep.width / 2) * TILE : COUNTRY.width / 2,
      y: keep ? (keep.y + keep.height / 2) * TILE : COUNTRY.height / 2,
      zoom,
    }
  }

  destroy(): void {
    if (this.#gone) return
    this.#gone = true
    for (const stop of this.#stop) stop()
    cancelAnimationFrame(this.#raf)
    clearTimeout(this.#timer)
    this.#labels.remove()
    this.#game.destroy(true)
    // Phaser removes its canvas in its next step. The loop is off, so this call makes that step.
    this.#game.step(performance.now(), 0)
  }

  /** Requests a frame. */
  invalidate(): void {
    if (!this.#ready || this.#gone || this.#raf !== 0 || document.hidden) return
    clearTimeout(this.#timer)
    this.#raf = requestAnimationFrame((now) => {
      this.#raf = 0
      this.#frame(now)
    })
  }

  #frame(now: number): void {
    const realm = this.#realm
    if (!realm || this.#gone || this.#screen.width === 1) return
    const ms = Math.min(100, now - this.#last)
    this.#last = now
    const began = performance.now()
    const moving = this.#draw(realm, now, ms)
    this.#game.step(now, ms)
    this.#frames.push(performance.now() - began)
    if (this.#frames.length > SAMPLES) this.#frames.shift()
    if (moving) this.invalidate()
    else this.#timer = window.setTimeout(() => this.invalidate(), this.#calm ? STILL_MS : CALM_MS)
  }

  /** Returns whether something moves that needs every frame. */
  #draw(realm: RealmModel, now: number, ms: number): boolean {
    const room = this.#room
    if (this.#place !== null && room === null) return false
    const at = room ? `room ${room.path} ${room.page}` : 'country'
    if (at !== this.#at) {
      if (this.#at !== '') this.#views.set(this.#at, this.#view)
      if (this.#views.size > KEPT_VIEWS) this.#views.clear()
      this.#at = at
      this.#view = this.#views.get(at) ?? this.#begin(realm)
      this.#overlay.clear()
    }
    this.#now = heroesNow(realm, this.#clock, now, this.#calm)
    this.#country.setVisible(room === null)
    this.#inner.setVisible(room !== null)
    const followed = this.#now.find((h) => h.id === this.#following)
    if (followed && followed.room === (room?.path ?? null))
      this.#view = { ...this.#view, x: (followed.x + 0.5) * TILE, y: (followed.y + 0.5) * TILE }
    this.#view = clampView({ ...this.#view, zoom: Math.max(this.#fit, this.#view.zoom) }, this.#screen, this.#world)
    const camera = this.#scene.cameras.main
    camera.setZoom(this.#view.zoom)
    camera.setScroll(this.#view.x - this.#screen.width / 2, this.#view.y - this.#screen.height / 2)
    this.#land(realm)
    this.#markCollisions(realm.world)
    return room ? this.#drawRoom(room, realm) : this.#drawCountry(realm, now, ms)
  }

  #land(realm: RealmModel): void {
    const { country, forts, paths } = realm.world
    if (this.#seen.country === country && this.#seen.forts === forts && this.#seen.paths === paths) return
    const tiles =
      country.tiles.width === COUNTRY_SIDE ? decodeGrid(country.tiles) : new Uint8Array(COUNTRY_SIDE * COUNTRY_SIDE)
    const keep = country.sites.find((s) => s.path === '')
    this.#looks = looks(cover(tiles, country.sites, forts), biomes(forts, keep), layerOf(paths, 'worn'))
    this.#ground.show(this.#looks)
    if (this.#seen.country !== country) {
      this.#sites.houses(country.sites)
      this.#collisions = null
      this.#fog.outline(country.sites)
      this.#watchKey = ''
    }
    if (this.#seen.forts !== forts) {
      this.#sites.forts(forts)
      this.#watchKey = ''
    }
    this.#seen = { country, forts, paths }
  }

  #markCollisions({ country, ...world }: RealmModel['world']): void {
    const collisions = world.collisions ?? NONE
    if (this.#collisions === collisions) return
    this.#collisions = collisions
    const { below, top } = collisionsOf(collisions)
    this.#sites.mark(country.sites.filter((s) => (s.path === '' ? top > 0 : below.has(s.path))))
  }

  #drawCountry(realm: RealmModel, now: number, ms: number): boolean {
    const { sites } = realm.world.country
    const out = this.#now.filter((h) => h.room === null)
    const counts = inside(this.#now, sites)
    const watchers: { x: number; y: number; radius?: number }[] = out.map((h) => ({
      x: Math.round(h.x),
      y: Math.round(h.y),
    }))
    for (const s of sites)
      if (s.path === '' || counts.has(s.path)) watchers.push({ x: s.doorX, y: s.doorY - 2, radius: 7 })
    const key = watchers.map((w) => `${w.x},${w.y},${w.radius ?? ''}`).join(';')
    const changed = key !== this.#watchKey || this.#explored !== realm.world.fog
    if (changed) {
      this.#watchKey = key
      this.#explored = realm.world.fog
      const camps = realm.world.forts.map((f) => ({ x: f.x - 2, y: f.y - 2, width: 5, height: 5 }))
      this.#states = revealWhole(visibility(layerOf(realm.world.fog, 'explored'), watchers), [...sites, ...camps])
    }
    if (changed || this.#lifting) this.#lifting = this.#fog.show(this.#states, ms, this.#calm)
    if (!this.#calm) {
      this.#ground.water(now)
      this.#sites.wave(now)
    }
    const seen = seenFrom(this.#view, this.#screen)
    this.#ground.cull(seen)
    this.#sites.cull(seen)
    const near = out.filter((h) => meets(seen, (h.x - 2) * TILE, (h.y - 2) * TILE, 5 * TILE, 5 * TILE))
    const lod = detail(this.#view.zoom / this.#ratio)
    this.#heroes.show(near, lod === 'far', this.#view.zoom)
    const lamps: Lamp[] = near
      .slice(0, 40)
      .map((h) => ({ x: (h.x + 0.5) * TILE, y: (h.y + 0.2) * TILE, kind: 'lantern', strength: h.lit ? 0.75 : 0.4 }))
    for (const f of realm.world.forts)
      lamps.push({ x: (f.x + 0.5) * TILE, y: (f.y + 1) * TILE, kind: 'torch', strength: 0.55 })
    for (const s of sites)
      if (s.path === '' || counts.has(s.path))
        lamps.push({ x: (s.doorX + 0.5) * TILE, y: s.doorY * TILE, kind: 'torch', strength: 0.6 })
    this.#light.show(lamps)
    this.#overlay.show(countryTags(realm, this.#now, counts, lod, this.#project, this.#css, this.#states))
    return this.#lifting || (!this.#calm && out.some((h) => h.moving))
  }

  #drawRoom(change: MapChange, realm: RealmModel): boolean {
    this.#within.show(change.room, realm.world, Date.now())
    this.#within.glow(Date.now())
    const here = this.#now.filter((h) => h.room === change.path && h.page === change.page)
    this.#heroesIn.show(here, false, this.#view.zoom)
    const { room } = change
    const lamps: Lamp[] = here
      .slice(0, 40)
      .map((h) => ({ x: (h.x + 0.5) * TILE, y: (h.y + 0.2) * TILE, kind: 'lantern', strength: h.lit ? 0.8 : 0.45 }))
    for (let x = 3; x < room.width - 1; x += 6)
      lamps.push({ x: (x + 0.5) * TILE, y: TILE, kind: 'torch', strength: 0.5 })
    for (const d of (room.doors ?? []).slice(0, 24))
      lamps.push({ x: (d.x + 0.5) * TILE, y: (d.y + 0.5) * TILE, kind: 'torch', strength: 0.3 })
    this.#lightIn.show(lamps)
    this.#overlay.show(
      roomTags(change, here, detail(this.#view.zoom / this.#ratio), this.#project, this.#css, realm.world.realm.name),
    )
    return !this.#calm && here.some((h) => h.moving)
  }

  /** Converts a point from tiles to CSS pixels of the host element. */
  readonly #project = (x: number, y: number): { x: number; y: number } => {
    const p = toScreen(this.#view, this.#screen, x * TILE, y * TILE)
    return { x: p.x / this.#ratio, y: p.y / this.#ratio }
  }

  get #css(): Size {
    return { width: this.#host.clientWidth, height: this.#host.clientHeight }
  }

  /** Moves the camera by CSS pixels and stops following a hero. */
  #slide(dx: number, dy: number): void {
    this.#following = null
    this.#move({
      ...this.#view,
      x: this.#view.x - (dx * this.#ratio) / this.#view.zoom,
      y: this.#view.y - (dy * this.#ratio) / this.#view.zoom,
    })
  }

  #move(to: View): void {
    this.#view = clampView(to, this.#screen, this.#world)
    this.invalidate()
  }

  #zoomTo(zoom: number, x: number, y: number): void {
    this.#move(zoomAt(this.#view, this.#screen, zoom, x * this.#ratio, y * this.#ratio))
  }

  #pick(x: number, y: number): Pick | null {
    const realm = this.#realm
    if (!realm) return null
    const t = tileAt(this.#view, this.#screen, x * this.#ratio, y * this.#ratio)
    const room = this.#room
    if (room)
      return pickRoom(
        room.room,
        this.#now.filter((h) => h.room === room.path && h.page === room.page),
        t.x,
        t.y,
      )
    return pickCountry(
      realm.world.country.sites,
      realm.world.forts,
      this.#now.filter((h) => h.room === null),
      t.x,
      t.y,
    )
  }

  #resize(): void {
    const { clientWidth: w, clientHeight: h } = this.#host
    if (w === 0 || h === 0) return
    const first = this.#screen.width === 1
    this.#screen = { width: Math.round(w * this.#ratio), height: Math.round(h * this.#ratio) }
    this.#game.scale.resize(this.#screen.width, this.#screen.height)
    this.#game.canvas.style.width = `${w}px`
    this.#game.canvas.style.height = `${h}px`
    if (first && this.#realm) this.#view = this.#begin(this.#realm)
    this.invalidate()
  }
}
