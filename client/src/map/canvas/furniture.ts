// How a room is furnished: the piece for each file by kind, language and size, the shelves and banners of its parts,
// and which names are shown first. Pure.
import type { Finding, Room, RoomObject } from '../../net/protocol.gen'
import { RANK } from '../../state/findings'
import { objectPiece, sizeOf } from './marks'
import type { Sprite } from './sprite'
import { scatter, TILE } from './terrain'

/** The shapes of scripts/art for code, by language. */
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

/** The piece for a file: code has a shape by language, everything else by kind. */
export function thingPiece(o: RoomObject): string {
  const shape = SHAPES[o.language ?? '']
  if (o.kind !== 'file' || !shape) return objectPiece(o)
  return `object.${shape}.${sizeOf(o.size)}.${scatter(o.x, o.y, 4) % 2}`
}

const KINDS = ['file', 'doc', 'config', 'test', 'link']

/** The piece of the floor on a tile. */
export function floorPiece(room: Room, x: number, y: number): string {
  const part = (room.parts ?? []).find((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height)
  const kind = part && KINDS.includes(part.kind) ? part.kind : 'hall'
  const n = scatter(x, y, 7)
  return `floor.${kind}.${n % 12 === 0 ? 1 + ((n >>> 8) % 3) : 0}`
}

/** A shelf is two tiles long; things stand in every second row of a part. */
const SHELF = 2

/** Shelves under the things of each part, and the banner of each part at the left wall. */
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
 * Which name is shown where two do not fit: files with findings by the worst of them, then changed ones, then large
 * ones. 10 to 59.
 */
export function nameRank(o: RoomObject, worst: Finding['severity'] | undefined): number {
  const size = Math.min(9, Math.log2(1 + (o.size ?? 0) / 1024))
  const changed = o.committed === false || o.changed !== undefined ? 10 : 0
  return 10 + size + changed + (worst ? 20 + (4 - RANK[worst]) * 2 : 0)
}
