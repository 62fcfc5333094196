// The ground and all that stands on it, in chunks of 24 by 24 tiles. Each chunk is cached as an image, which is drawn
// when the chunk is first visible and again when one of its tiles has changed. The images of all 25 chunks take 15 MB,
// or 18 MB with the images of half the size for small zooms.
import { COUNTRY_SIDE } from '../../state/grid'
import { picture, type Atlas, type Pen } from './atlas'
import { cover, type Frame } from './backdrop'
import { boxOf, depthOf, put, type Sprite } from './sprite'
import { fringes, groundPiece, roadPieces, scatter, standingPiece, TILE } from './terrain'
import { boxOfTiles, meets, overlaps, type Box } from './view'

const CHUNK = 24
const CHUNKS = Math.ceil(COUNTRY_SIDE / CHUNK)
const SIDE = CHUNK * TILE

/** Up to this zoom the images of half the size are used. */
const HALF = 0.6

/** A range of tiles in a chunk, both ends included. */
interface Part {
  left: number
  right: number
  top: number
  bottom: number
}

interface Chunk {
  whole: Pen
  half: Pen | null
}

export class Ground {
  readonly #atlas: Atlas
  readonly #pictures: (Chunk | null)[] = Array.from({ length: CHUNKS * CHUNKS }, () => null)
  /** The tiles that must be redrawn in the cached images, by chunk. */
  readonly #stale = new Map<number, Part>()
  /** The tiles that have changed since the last paint, by chunk. */
  readonly #changed = new Map<number, Part>()
  #looks: Uint16Array = new Uint16Array(0)
  #built: readonly Sprite[] = []
  /** The boxes of the buildings. They are cached because heroes need them in every frame. */
  #boxes: readonly Box[] = []
  #changes = 0

  constructor(atlas: Atlas) {
    this.#atlas = atlas
  }

  /** The number of changes of the ground so far. */
  get changes(): number {
    return this.#changes
  }

  /** Sets what the ground looks like, tile by tile (see looks in terrain.ts), and the buildings on it. */
  show(looks: Uint16Array, built: readonly Sprite[]): void {
    const was = this.#looks
    let changed = false
    for (let i = 0; i < looks.length; i++) {
      if (was[i] === looks[i]) continue
      changed = true
      const [x, y] = [i % COUNTRY_SIDE, Math.floor(i / COUNTRY_SIDE)]
      // The edges of a tile reach into its neighbours, and a tree on it covers tiles above.
      this.#spoil({ left: x - 1, right: x + 1, top: y - 3, bottom: y + 1 })
    }
    if (built !== this.#built)
      for (const s of differing(this.#built, built)) {
        changed = true
        const b = boxOf(this.#atlas, s)
        const [left, right, top, bottom] = [b.left, b.right, b.top, b.bottom].map((at) => Math.floor(at / TILE))
        this.#spoil({ left: left!, right: right!, top: top!, bottom: bottom! })
      }
    this.#looks = looks
    if (built !== this.#built) this.#boxes = built.map((s) => boxOf(this.#atlas, s))
    this.#built = built
    if (changed) this.#changes++
  }

  /** The areas that have changed since the last paint, in pixels of the map. */
  get changed(): readonly Box[] {
    return [...this.#changed.values()].map(boxOfPart)
  }

  /** Draws the visible chunks. Afterwards nothing counts as changed. */
  paint(g: Pen, frame: Frame): void {
    this.#changed.clear()
    this.copy(g, frame)
  }

  /** Draws the visible chunks into another image. What has changed since the last paint still counts as changed. */
  copy(g: Pen, frame: Frame): void {
    g.imageSmoothingEnabled = frame.zoom < 1
    const half = frame.zoom <= HALF
    for (let i = 0; i < this.#pictures.length; i++) {
      const x = (i % CHUNKS) * SIDE
      const y = Math.floor(i / CHUNKS) * SIDE
      if (meets(frame.seen, x, y, SIDE, SIDE)) cover(g, frame, this.#picture(i, half), x, y, SIDE, SIDE)
    }
  }

  /** The buildings that stand in front of a sprite and hide a part of it. Plants hide no heroes. */
  readonly before = (s: Sprite): Sprite[] => {
    const box = boxOf(this.#atlas, s)
    const depth = depthOf(s)
    return this.#built.filter((o, i) => overlaps(this.#boxes[i]!, box) && depthOf(o) > depth)
  }

  #picture(i: number, half: boolean): CanvasImageSource {
    const chunk = (this.#pictures[i] ??= (() => {
      this.#stale.set(i, tilesOf(i))
      return { whole: picture(SIDE, SIDE), half: null }
    })())
    const stale = this.#stale.get(i)
    if (stale) {
      this.#stale.delete(i)
      this.#draw(chunk.whole, i, stale)
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

  /** Marks tiles as changed in all chunks that contain some of them. */
  #spoil(p: Part): void {
    for (const i of new Set([
      chunkAt(p.left, p.top),
      chunkAt(p.right, p.top),
      chunkAt(p.left, p.bottom),
      chunkAt(p.right, p.bottom),
    ])) {
      const within = tilesOf(i)
      for (const parts of [this.#stale, this.#changed]) {
        const was = parts.get(i) ?? p
        parts.set(i, {
          left: Math.max(within.left, Math.min(was.left, p.left)),
          right: Math.min(within.right, Math.max(was.right, p.right)),
          top: Math.max(within.top, Math.min(was.top, p.top)),
          bottom: Math.min(within.bottom, Math.max(was.bottom, p.bottom)),
        })
      }
    }
  }

  /** The sprites that stand on the tiles or reach into them, ordered from back to front. */
  #standing(part: Part): Sprite[] {
    const box = boxOfPart(part)
    const out = this.#built.filter((_, i) => overlaps(this.#boxes[i]!, box))
    for (let y = Math.max(0, part.top); y <= Math.min(COUNTRY_SIDE - 1, part.bottom + 2); y++) {
      for (let x = Math.max(0, part.left - 1); x <= Math.min(COUNTRY_SIDE - 1, part.right + 1); x++) {
        const piece = standingPiece(this.#at(x, y), x, y)
        if (piece) out.push(grown(piece, x, y))
      }
    }
    return out.sort((a, b) => depthOf(a) - depthOf(b))
  }

  #draw(g: Pen, i: number, part: Part): void {
    const { left, top } = tilesOf(i)
    g.setTransform(1, 0, 0, 1, -left * TILE, -top * TILE)
    const box = boxOfPart(part)
    g.save()
    g.beginPath()
    g.rect(box.left, box.top, box.right - box.left, box.bottom - box.top)
    g.clip()
    for (let y = part.top; y <= part.bottom; y++) for (let x = part.left; x <= part.right; x++) this.#tile(g, x, y)
    for (const s of this.#standing(part)) {
      if (SHADOWED.test(s.piece)) put(g, this.#atlas, { piece: 'shadow', x: s.x, y: s.y + 2 })
      put(g, this.#atlas, s)
    }
    g.restore()
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

/**
 * The pieces that get a shadow on the ground. The sprites of buildings include their shadows, and low things have
 * none.
 */
const SHADOWED = /^(tree|crystal|rock)\./

/** The sprites that are in only one of the two lists. */
function differing(a: readonly Sprite[], b: readonly Sprite[]): Sprite[] {
  const key = (s: Sprite): string => `${s.piece} ${s.x} ${s.y}`
  const [inA, inB] = [new Set(a.map(key)), new Set(b.map(key))]
  return [...a.filter((s) => !inB.has(key(s))), ...b.filter((s) => !inA.has(key(s)))]
}

/** The tiles of the chunk with index i. */
function tilesOf(i: number): Part {
  const [left, top] = [(i % CHUNKS) * CHUNK, Math.floor(i / CHUNKS) * CHUNK]
  return { left, right: left + CHUNK - 1, top, bottom: top + CHUNK - 1 }
}

function boxOfPart(p: Part): Box {
  return boxOfTiles({ ...p, right: p.right + 1, bottom: p.bottom + 1 })
}

function chunkAt(x: number, y: number): number {
  const within = (at: number): number => Math.min(CHUNKS - 1, Math.max(0, Math.floor(at / CHUNK)))
  return within(y) * CHUNKS + within(x)
}

/** The sprite of a plant or rock on a tile, offset from the tile's middle so that the sprites form no rows. */
function grown(piece: string, x: number, y: number): Sprite {
  const n = scatter(x, y, 5)
  return { piece, x: (x + 0.5) * TILE + (n % 13) - 6, y: (y + 1) * TILE - ((n >>> 8) % 9) }
}
