// The ground and all that stands on it, in chunks of 24 by 24 tiles. A chunk is a picture that is drawn when it is seen
// first, and anew when one of its tiles has changed. There are 25 chunks, 15 MB when all are drawn; with the pictures
// of half the size, from which small zooms are drawn, 19 MB.
import { COUNTRY_SIDE } from '../../state/grid'
import { picture, type Atlas, type Pen } from './atlas'
import { cover, type Frame } from './backdrop'
import { boxOf, depthOf, put, type Sprite } from './sprite'
import { fringes, groundPiece, roadPieces, scatter, standingPiece, TILE } from './terrain'
import { meets, type Box } from './view'

const CHUNK = 24
const CHUNKS = Math.ceil(COUNTRY_SIDE / CHUNK)
const SIDE = CHUNK * TILE

/** Up to this zoom the pictures of half the size are used. */
const HALF = 0.6

interface Chunk {
  whole: Pen
  half: Pen | null
}

export class Ground {
  readonly #atlas: Atlas
  readonly #pictures: (Chunk | null)[] = Array.from({ length: CHUNKS * CHUNKS }, () => null)
  /** What stands in each chunk or reaches into it, from the back to the front. */
  #standing: Sprite[][] = []
  #stale = new Set<number>()
  #looks: Uint16Array = new Uint16Array(0)
  #built: readonly Sprite[] = []
  #changes = 0

  constructor(atlas: Atlas) {
    this.#atlas = atlas
  }

  /** Counts the changes of what the ground shows. */
  get changes(): number {
    return this.#changes
  }

  /** Takes the tiles as `looks` describes them, and the buildings on them. */
  show(looks: Uint16Array, built: readonly Sprite[]): void {
    const was = this.#looks
    const rebuilt = built !== this.#built
    this.#looks = looks
    this.#built = built
    const stale = new Set<number>()
    for (let i = 0; i < looks.length; i++) {
      if (!rebuilt && was[i] === looks[i]) continue
      // The tiles around it have edges of it.
      const [x, y] = [i % COUNTRY_SIDE, Math.floor(i / COUNTRY_SIDE)]
      for (const [dx, dy] of AROUND) stale.add(chunkAt(x + dx, y + dy))
    }
    if (stale.size === 0) return
    for (const i of stale) this.#stale.add(i)
    this.#stand()
    this.#changes++
  }

  /** Draws what the frame sees. */
  paint(g: Pen, frame: Frame): void {
    g.imageSmoothingEnabled = frame.zoom < 1
    const half = frame.zoom <= HALF
    for (let i = 0; i < this.#pictures.length; i++) {
      const x = (i % CHUNKS) * SIDE
      const y = Math.floor(i / CHUNKS) * SIDE
      if (meets(frame.seen, x, y, SIDE, SIDE)) cover(g, frame, this.#picture(i, half), x, y, SIDE, SIDE)
    }
  }

  /** The buildings that stand in front of a sprite and hide a part of it. Heroes are drawn over what grows. */
  readonly before = (s: Sprite): Sprite[] => {
    const box = boxOf(this.#atlas, s)
    const depth = depthOf(s)
    return this.#built.filter((o) => depthOf(o) > depth && overlaps(boxOf(this.#atlas, o), box))
  }

  #picture(i: number, half: boolean): CanvasImageSource {
    const chunk = (this.#pictures[i] ??= (() => {
      this.#stale.add(i)
      return { whole: picture(SIDE, SIDE), half: null }
    })())
    if (this.#stale.delete(i)) {
      this.#draw(chunk.whole, i)
      chunk.half = null
    }
    if (!half) return chunk.whole.canvas
    if (!chunk.half) {
      chunk.half = picture(SIDE / 2, SIDE / 2)
      chunk.half.imageSmoothingEnabled = true
      chunk.half.drawImage(chunk.whole.canvas, 0, 0, SIDE / 2, SIDE / 2)
    }
    return chunk.half.canvas
  }

  #stand(): void {
    const all: Sprite[] = [...this.#built]
    for (let y = 0; y < COUNTRY_SIDE; y++) {
      for (let x = 0; x < COUNTRY_SIDE; x++) {
        const piece = standingPiece(this.#looks[y * COUNTRY_SIDE + x] ?? 0, x, y)
        if (piece) all.push(grown(piece, x, y))
      }
    }
    all.sort((a, b) => depthOf(a) - depthOf(b))
    this.#standing = Array.from({ length: CHUNKS * CHUNKS }, () => [])
    for (const s of all) {
      const b = boxOf(this.#atlas, s)
      const [x0, x1] = [b.left / SIDE, b.right / SIDE].map(Math.floor) as [number, number]
      const [y0, y1] = [b.top / SIDE, b.bottom / SIDE].map(Math.floor) as [number, number]
      for (let y = Math.max(0, y0); y <= Math.min(CHUNKS - 1, y1); y++)
        for (let x = Math.max(0, x0); x <= Math.min(CHUNKS - 1, x1); x++) this.#standing[y * CHUNKS + x]!.push(s)
    }
  }

  #draw(g: Pen, i: number): void {
    const x0 = (i % CHUNKS) * CHUNK
    const y0 = Math.floor(i / CHUNKS) * CHUNK
    g.setTransform(1, 0, 0, 1, -x0 * TILE, -y0 * TILE)
    for (let y = y0; y < y0 + CHUNK; y++) for (let x = x0; x < x0 + CHUNK; x++) this.#tile(g, x, y)
    for (const s of this.#standing[i] ?? []) {
      if (!this.#built.includes(s) && !s.piece.startsWith('hill.'))
        put(g, this.#atlas, { piece: 'shadow', x: s.x, y: s.y + 2 })
      put(g, this.#atlas, s)
    }
  }

  readonly #at = (x: number, y: number): number =>
    this.#looks[
      Math.min(COUNTRY_SIDE - 1, Math.max(0, y)) * COUNTRY_SIDE + Math.min(COUNTRY_SIDE - 1, Math.max(0, x))
    ] ?? 0

  #tile(g: Pen, x: number, y: number): void {
    const pieces = [groundPiece(this.#at(x, y), x, y), ...fringes(this.#at, x, y), ...roadPieces(this.#at, x, y)]
    for (const piece of pieces) this.#atlas.flat(g, piece, x * TILE, y * TILE)
  }
}

const AROUND = [0, -1, 1].flatMap((dy) => [0, -1, 1].map((dx) => [dx, dy] as const))

function chunkAt(x: number, y: number): number {
  const within = (at: number): number => Math.min(CHUNKS - 1, Math.max(0, Math.floor(at / CHUNK)))
  return within(y) * CHUNKS + within(x)
}

/** The sprite of what grows on a tile, somewhat beside its middle, so that nothing stands in ranks. */
function grown(piece: string, x: number, y: number): Sprite {
  const n = scatter(x, y, 5)
  return { piece, x: (x + 0.5) * TILE + (n % 13) - 6, y: (y + 1) * TILE - ((n >>> 8) % 9) }
}

function overlaps(a: Box, b: Box): boolean {
  return meets(a, b.left, b.top, b.right - b.left, b.bottom - b.top)
}
