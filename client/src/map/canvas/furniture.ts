// How a room is furnished: which piece of furniture stands for each file (by kind, language and size), which shelves
// and banners the parts of the room have, and which of two file names is drawn if they overlap. Pure.
import type { Finding, Room, RoomObject } from '../../net/protocol.gen'
import { RANK } from '../../state/findings'
import { objectPiece, sizeOf } from './marks'
import type { Sprite } from './sprite'
import { scatter, TILE } from './terrain'

/** The atlas piece for code in each language; scripts/art draws the pieces. */
const SHAPES: Readonly<Record<string, string>> = {
  Go: 'go',
  TypeScript: 'ts',
  JavaScript: 'js',
  Python: 'py',
  Rust: 'rs',
  C: 'c',
  'C++': 'c',
  Java: 'java',
  Kotlin: 'java',
  Scala: 'java',
  Ruby: 'rb',
  PHP: 'php',
  Shell: 'sh',
  SQL: 'sql',
  HTML: 'html',
  Vue: 'html',
  CSS: 'css',
}

/** The atlas piece for a file: for code it depends on the language, for other files on the kind. */
export function thingPiece(o: RoomObject): string {
  const shape = SHAPES[o.language ?? '']
  if (o.kind !== 'file' || !shape) return objectPiece(o)
  return `object.${shape}.${sizeOf(o.size)}.${scatter(o.x, o.y, 4) % 2}`
}

const KINDS = ['file', 'doc', 'config', 'test', 'link']

/** The atlas piece for the floor of a tile. */
export function floorPiece(room: Room, x: number, y: number): string {
  const part = (room.parts ?? []).find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height)
  const kind = part && KINDS.includes(part.kind) ? part.kind : 'hall'
  const n = scatter(x, y, 7)
  return `floor.${kind}.${n % 12 === 0 ? 1 + ((n >>> 8) % 3) : 0}`
}

/** The width of a shelf in tiles. Things stand in every second row of a part. */
const SHELF = 2

/** The sprites of the shelves under the things of each part, and of the part's banner at the left wall. */
export function furnitureSprites(room: Room): Sprite[] {
  const out: Sprite[] = []
  for (const p of room.parts ?? []) {
    if (!KINDS.includes(p.kind)) continue
    out.push({ piece: `banner.${p.kind}`, x: TILE / 2, y: (p.y + 2) * TILE, depth: 1 })
    for (let y = p.y + 1; y < p.y + p.height; y += 2)
      for (let x = p.x; x + SHELF <= p.x + p.width; x += SHELF)
        out.push({
          piece: `shelf.${p.kind}.${scatter(x, y, 6) % 2}`,
          x: (x + 1) * TILE,
          y: (y + 1) * TILE + 5,
          depth: 0,
        })
  }
  return out
}

/**
 * The rank of a file's name, 10 to 57; of two names that overlap, the one with the higher rank is shown. Files with
 * findings come first, by the worst finding, then changed files, then large files.
 */
export function nameRank(o: RoomObject, worst: Finding['severity'] | undefined): number {
  const size = Math.min(9, Math.log2(1 + (o.size ?? 0) / 1024))
  const changed = o.committed === false || o.changed !== undefined ? 10 : 0
  return 10 + size + changed + (worst ? 20 + (4 - RANK[worst]) * 2 : 0)
}
