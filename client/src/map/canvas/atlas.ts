// The texture atlas: one image and the positions of the pieces in it, loaded once for all drawings. It caches the
// copies of pieces in members' colours.

/** A rectangle in an image. below: how many of its rows lie below the feet of what it shows; 0 if absent. */
export interface Piece {
  from: CanvasImageSource
  x: number
  y: number
  w: number
  h: number
  below?: number
}

export type Pen = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** The maximum number of coloured pieces in the cache; the oldest are dropped. Each takes about 4 KB. */
const TINTS = 800

/** How far the shadow of a hero reaches below its feet, in pixels. */
export const SHADOW_BELOW = 3

export class Atlas {
  readonly #pieces = new Map<string, Piece>()
  readonly #tints = new Map<string, Piece>()

  constructor(image: CanvasImageSource, places: Readonly<Record<string, readonly number[]>>) {
    for (const [name, [x = 0, y = 0, w = 0, h = 0]] of Object.entries(places))
      this.#pieces.set(name, { from: image, x, y, w, h })
  }

  has(name: string): boolean {
    return this.#pieces.has(name)
  }

  get(name: string): Piece | undefined {
    return this.#pieces.get(name)
  }

  /**
   * The piece with its cloth, such as a cloak or a banner, in the given colour. The atlas has the cloth as a
   * separate grey piece. shaded: whether a shadow lies below its feet.
   */
  tinted(name: string, color: string, shaded = false): Piece | undefined {
    const key = shaded ? `${name} ${color} shaded` : `${name} ${color}`
    const known = this.#tints.get(key)
    if (known) return known
    const body = this.#pieces.get(name)
    if (!body) return undefined
    const below = shaded ? SHADOW_BELOW : 0
    const [w, h] = [body.w, body.h + below]
    const from = bitmap(w, h, (g) => {
      this.#dye(g, this.#pieces.get(`cloth.${name}`) ?? body, color)
      // Draws what is below the cloth.
      g.globalCompositeOperation = 'destination-over'
      if (this.has(`cloth.${name}`)) this.flat(g, name, 0, 0)
      const shadow = shaded && this.#pieces.get('shadow')
      if (shadow) this.flat(g, 'shadow', Math.round((w - shadow.w) / 2), h - shadow.h)
    })
    const made = { from, x: 0, y: 0, w, h, below }
    this.#tints.set(key, made)
    if (this.#tints.size > TINTS) this.#tints.delete(this.#tints.keys().next().value!)
    return made
  }

  /** Draws a piece with its upper left corner at x, y. */
  flat(g: Pen, name: string, x: number, y: number): void {
    const p = this.#pieces.get(name)
    if (p) g.drawImage(p.from, p.x, p.y, p.w, p.h, x, y, p.w, p.h)
  }

  #dye(g: Pen, cloth: Piece, color: string): void {
    const draw = (): void => g.drawImage(cloth.from, cloth.x, cloth.y, cloth.w, cloth.h, 0, 0, cloth.w, cloth.h)
    draw()
    g.globalCompositeOperation = 'multiply'
    g.fillStyle = color
    g.fillRect(0, 0, cloth.w, cloth.h)
    g.globalCompositeOperation = 'destination-in'
    draw()
    g.globalCompositeOperation = 'source-over'
  }
}

/**
 * Creates an empty image to draw into, for images that change. alpha: whether it can be transparent; copying an opaque
 * image takes less time.
 */
export function picture(width: number, height: number, alpha = true): Pen {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, width)
  canvas.height = Math.max(1, height)
  const g = canvas.getContext('2d', { alpha })
  if (!g) throw new Error('no 2D context')
  g.imageSmoothingEnabled = false
  return g
}

let desk: OffscreenCanvasRenderingContext2D | null = null

/** Draws a small image that does not change later. Copying it takes less time than copying a canvas. */
export function bitmap(width: number, height: number, draw: (g: Pen) => void): ImageBitmap {
  const g = desk ?? new OffscreenCanvas(width, height).getContext('2d')
  if (!g) throw new Error('no 2D context')
  desk = null // draw can call bitmap itself, which must not use this canvas
  if (g.canvas.width !== width || g.canvas.height !== height) {
    g.canvas.width = width
    g.canvas.height = height
  }
  g.save()
  g.imageSmoothingEnabled = false
  draw(g)
  g.restore()
  desk = g
  return g.canvas.transferToImageBitmap() // this empties the canvas for the next image
}

const loaded = new Map<string, Promise<Atlas>>()

/** Loads the atlas from the folder, once for the page. After a failure the next call tries again. */
export function loadAtlas(folder: string): Promise<Atlas> {
  const known = loaded.get(folder)
  if (known) return known
  const load = (async () => {
    const [picture, places] = await Promise.all([get(`${folder}/atlas.png`), get(`${folder}/atlas.json`)])
    const image = await createImageBitmap(await picture.blob())
    return new Atlas(image, ((await places.json()) as { frames: Record<string, number[]> }).frames)
  })()
  loaded.set(folder, load)
  load.catch(() => loaded.delete(folder))
  return load
}

async function get(address: string): Promise<Response> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
  return answer
}
