// Draws heroes as dots, which all have the same size at every zoom. Dots that have not moved since the last frame are
// copied from one image, the sheet, because each copy to the screen takes time.
import { bitmap, picture, type Pen } from './atlas'
import type { Hero } from './heroes'
import { NIGHT_STYLE, tint } from './palette'
import { TILE } from './terrain'
import type { Size } from './view'

/** The radius of a dot and of its dark edge, in pixels of the screen. */
const DOT = 5
const EDGE = 6
/** The maximum number of images of dots that are kept, one for each colour. */
const COLOURS = 256
/** Copying a sheet takes as long as copying about this number of dots, so fewer dots need no sheet. */
const FEW = 64

interface Spot {
  color: string
  x: number
  y: number
}

export class Dots {
  readonly #colours = new Map<string, ImageBitmap>()
  /** The key that paint got in the last frame. */
  #last = ''
  /** The sheet, which is empty while its key is ''. */
  #sheet: Pen | null = null
  #key = ''

  /**
   * Draws a dot for each hero. screen: the size of the screen. key: a text that differs from that of the last frame
   * if a dot has moved or has changed its colour.
   */
  paint(
    g: Pen,
    heroes: readonly Hero[],
    { zoom, left, top }: { zoom: number; left: number; top: number },
    screen: Size,
    key: string,
  ): void {
    const rest = key === this.#last && heroes.length > FEW
    this.#last = key
    const spots = (): Spot[] =>
      heroes.map((h) => ({
        color: tint(h.color),
        x: Math.round((h.x + 0.5) * TILE * zoom) - left - EDGE,
        y: Math.round((h.y + 0.5) * TILE * zoom) - top - EDGE,
      }))
    g.save()
    g.setTransform(1, 0, 0, 1, 0, 0)
    if (rest) g.drawImage(this.#sheetFor(key, screen, spots), 0, 0)
    else this.#copy(g, spots())
    g.restore()
  }

  /** The image of the whole screen with the dots. */
  #sheetFor(key: string, { width, height }: Size, spots: () => Spot[]): CanvasImageSource {
    const sheet = (this.#sheet ??= picture(width, height))
    if (key === this.#key) return sheet.canvas
    this.#key = key
    sheet.canvas.width = width // this empties the sheet
    sheet.canvas.height = height
    this.#copy(sheet, spots())
    return sheet.canvas
  }

  #copy(g: Pen, spots: readonly Spot[]): void {
    for (const { color, x, y } of spots) g.drawImage(this.#dot(color), x, y)
  }

  /**
   * The image of a dot of this colour, from a cache: copying an image takes much less time than drawing two circles.
   */
  #dot(color: string): ImageBitmap {
    const known = this.#colours.get(color)
    if (known) return known
    const made = bitmap(2 * EDGE, 2 * EDGE, (g) => {
      for (const [style, radius] of [
        [NIGHT_STYLE, EDGE],
        [color, DOT],
      ] as const) {
        g.fillStyle = style
        g.beginPath()
        g.arc(EDGE, EDGE, radius, 0, 2 * Math.PI)
        g.fill()
      }
    })
    this.#colours.set(color, made)
    if (this.#colours.size > COLOURS) this.#colours.delete(this.#colours.keys().next().value!)
    return made
  }
}
