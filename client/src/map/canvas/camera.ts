// The camera of the map. It stores which part of each place was visible last, and converts between tiles, pixels of
// the map, of the screen and of the page. Callers decide when to move the camera.
import { TILE } from './terrain'
import {
  clampView,
  fitZoom,
  pointAt,
  seenFrom,
  snapZoom,
  stepZoom,
  toScreen,
  zoomAt,
  type Box,
  type Size,
  type View,
} from './view'

/** The maximum number of places whose visible part is remembered. */
const KEPT = 50

export class Camera {
  readonly #views = new Map<string, View>()
  #at = ''
  #screen: Size = { width: 1, height: 1 }
  #world: Size = { width: 1, height: 1 }
  #ratio = 1
  #view: View = { x: 0, y: 0, zoom: 1 }
  /** The first view of the current place, until the camera moves; then null. */
  #first: View | null = null
  /** Whether the screen has got another size while the first view was shown. */
  #resized = false

  get view(): View {
    return this.#view
  }

  get screen(): Size {
    return this.#screen
  }

  get ratio(): number {
    return this.#ratio
  }

  /** The number of CSS pixels for one pixel of the map. */
  get cssZoom(): number {
    return this.#view.zoom / this.#ratio
  }

  get #fit(): number {
    return fitZoom(this.#screen, this.#world)
  }

  /** Stores the new size of the screen. ratio: pixels of the screen for one CSS pixel. */
  resize(screen: Size, ratio: number): void {
    const first = this.#view === this.#first
    this.#screen = screen
    this.#ratio = ratio
    this.#set(this.#view)
    if (!first) return
    this.#first = this.#view
    this.#resized = true
  }

  /**
   * Enters a place of the given size. Shows the part that was visible there last or, on the first visit, the part
   * that begin returns. A first part that nobody has moved is chosen again for a screen of another size.
   */
  enter(at: string, world: Size, begin: () => View): boolean {
    const same = at === this.#at
    let first = same && this.#view === this.#first
    this.#world = world
    if (first && this.#resized) this.#view = begin()
    this.#resized = false
    if (!same) {
      if (this.#at !== '') this.#views.set(this.#at, this.#view)
      if (this.#views.size > KEPT) this.#views.delete(this.#views.keys().next().value!)
      this.#at = at
      first = !this.#views.has(at)
      this.#view = this.#views.get(at) ?? begin()
    }
    this.#set(this.#view)
    this.#first = first ? this.#view : null
    return !same
  }

  /** Forgets all places. Called when the page shows another realm. */
  forget(): void {
    this.#views.clear()
    this.#at = ''
  }

  /** The view that set(view) leads to: moved and enlarged so that it shows nothing outside of the map. */
  within(view: View): View {
    return clampView({ ...view, zoom: Math.max(this.#fit, view.zoom) }, this.#screen, this.#world)
  }

  /** Shows the given part of the place. */
  set(view: View): void {
    this.#set(view)
  }

  /** Centres the camera on a point in tiles. */
  centre(x: number, y: number): void {
    this.#set({ ...this.#view, x: (x + 0.5) * TILE, y: (y + 0.5) * TILE })
  }

  /** Moves the camera by CSS pixels. */
  slide(dx: number, dy: number): void {
    const by = this.#ratio / this.#view.zoom
    this.#set({ ...this.#view, x: this.#view.x - dx * by, y: this.#view.y - dy * by })
  }

  /** Zooms by one step. x, y: the point of the page that stays in place; by default the middle of the screen. */
  step(direction: 1 | -1, x = this.#screen.width / this.#ratio / 2, y = this.#screen.height / this.#ratio / 2): void {
    this.#zoom(stepZoom(this.#view.zoom, direction, this.#fit), x, y)
  }

  /** Zooms by a factor. x, y: the point of the page that stays in place. */
  pinch(factor: number, x: number, y: number): void {
    this.#zoom(Math.min(Math.max(4, this.#view.zoom), Math.max(this.#fit, this.#view.zoom * factor)), x, y)
  }

  /** Zooms to the nearest zoom step, at the end of a pinch. */
  snap(): void {
    const { width, height } = this.#screen
    this.#zoom(snapZoom(this.#view.zoom, this.#fit), width / this.#ratio / 2, height / this.#ratio / 2)
  }

  /** The visible part in pixels of the map. */
  get seen(): Box {
    return seenFrom(this.#view, this.#screen)
  }

  /**
   * How far the map's upper left corner lies to the left of the screen's (x) and above it (y), in whole pixels of the
   * screen.
   */
  get origin(): { x: number; y: number } {
    const { x, y, zoom } = this.#view
    return {
      x: Math.round(x * zoom - this.#screen.width / 2),
      y: Math.round(y * zoom - this.#screen.height / 2),
    }
  }

  /** Converts tiles to CSS pixels. */
  readonly project = (x: number, y: number): { x: number; y: number } => {
    const p = toScreen(this.#view, this.#screen, x * TILE, y * TILE)
    return { x: p.x / this.#ratio, y: p.y / this.#ratio }
  }

  /** Converts a point of the page to tiles, with fractions. */
  point(x: number, y: number): { x: number; y: number } {
    return pointAt(this.#view, this.#screen, x * this.#ratio, y * this.#ratio)
  }

  #zoom(zoom: number, x: number, y: number): void {
    this.#set(zoomAt(this.#view, this.#screen, zoom, x * this.#ratio, y * this.#ratio))
  }

  #set(view: View): void {
    this.#view = this.within(view)
  }
}
