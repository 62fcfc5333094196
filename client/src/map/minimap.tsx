// The whole country in small: explored land, houses with their worst finding, forts, heroes and the visible part. A
// click moves the camera.
import { useEffect, useRef } from 'preact/hooks'
import type { Severity } from '../state/findings'
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { COUNTRY_SIDE, decodeGrid } from '../state/grid'
import { words } from '../words'
import { isVisible } from './canvas/covers'
import { SEVERITY } from './canvas/palette'
import type { Stage } from './canvas/stage'
import { isDark } from './canvas/theme'
import { houseMarks } from './director/map-marks'

/** The colour of each kind of tile, by the kind's number (terrain.ts): red, green, blue. The opacity is set later. */
const LAND = [
  0x2f5d4a00, 0x3b3f5c00, 0x27548a00, 0x9a725000, 0x9a725000, 0x1f3f3800, 0x565a7a00, 0x9a725000, 0x9a725000,
  0x8f2f3a00, 0x8a63d200,
]
const GRASS = 0x2f5d4a00

interface Tones {
  back: string
  /** The opacity of explored and of other land, 0 to 255. */
  explored: number
  unseen: number
  house: string
  hero: string
  frame: string
}
const DARK: Tones = { back: '#0d0f1a', explored: 255, unseen: 89, house: '#a9adc4', hero: '#f3ecd9', frame: '#ffd27a' }
const LIGHT: Tones = {
  back: '#f3ecd9',
  explored: 140,
  unseen: 64,
  house: '#565a7a',
  hero: '#151827',
  frame: '#8f2f3a',
}
/**
 * The minimum time between two checks for changes, in milliseconds. The checks follow the frames of the map, so they
 * are rarer while nothing moves.
 */
const EVERY_MS = 200
/** The side of a house's square by its worst finding, in tiles, so that severities differ in size and colour. */
const SIDES: Readonly<Record<Severity, number>> = { info: 3, low: 3, medium: 5, high: 7, critical: 9 }

/** Draws the land, one pixel for each tile. */
function drawLand({ country, fog }: RealmModel['world'], tones: Tones): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = COUNTRY_SIDE
  const g = canvas.getContext('2d')
  const layer = fog.find((f) => f.name === 'explored')
  if (!g || !layer || country.tiles.width !== COUNTRY_SIDE) return canvas
  const land = decodeGrid(country.tiles)
  const explored = decodeGrid(layer)
  const image = g.createImageData(COUNTRY_SIDE, COUNTRY_SIDE)
  const pixels = new DataView(image.data.buffer)
  for (let i = 0; i < land.length; i++)
    pixels.setUint32(i * 4, (LAND[land[i]!] ?? GRASS) | (explored[i] ? tones.explored : tones.unseen))
  g.putImageData(image, 0, 0)
  return canvas
}

interface Worst {
  x: number
  y: number
  side: number
  color: string
}

/** The squares of the houses that have findings. The worst come last, so they are drawn on top. */
function worstOf({ country, findings }: RealmModel['world']): Worst[] {
  return houseMarks(country.sites, findings, [], Date.now())
    .flatMap((m): Worst[] => {
      const [worst] = m.severities[0] ?? []
      const site = country.sites.find((s) => s.path === m.path)
      if (!worst || !site) return []
      const side = SIDES[worst]
      const x = Math.round(site.x + (site.width - side) / 2)
      const y = Math.round(site.y + (site.height - side) / 2)
      return [{ x, y, side, color: SEVERITY[worst] }]
    })
    .sort((a, b) => a.side - b.side)
}

/** The inputs and results of the last painting. The minimap is painted again only if an input differs. */
interface Painted {
  country: unknown
  fog: unknown
  findings: unknown
  tones: Tones
  land: HTMLCanvasElement
  worst: Worst[]
}

function paintedNow(was: Painted | null, world: RealmModel['world'], tones: Tones): Painted {
  const { country, fog, findings } = world
  const land = was?.country === country && was.fog === fog && was.tones === tones
  const worst = was?.country === country && was.findings === findings
  if (was && land && worst) return was
  return {
    country,
    fog,
    findings,
    tones,
    land: was && land ? was.land : drawLand(world, tones),
    worst: was && worst ? was.worst : worstOf(world),
  }
}

/** The rectangle that the camera sees, as x, y, width and height in tiles, cut at the edge of the country. */
export function frameOf(v: { x: number; y: number; width: number; height: number }): [number, number, number, number] {
  const within = (at: number) => Math.min(COUNTRY_SIDE - 1, Math.max(0, at))
  const [left, top] = [within(v.x), within(v.y)]
  return [left + 0.5, top + 0.5, within(v.x + v.width) - left, within(v.y + v.height) - top]
}

/**
 * Calls look now and after the frames of the map, with at least EVERY_MS between two calls, until the returned function
 * is called. look is also called for the last frame before a pause. The frames call it because heroes and the camera
 * move without a render of a component.
 */
function follow(stage: Stage, look: () => void): () => void {
  let last = -Infinity
  let timer = 0
  const call = () => {
    timer = 0
    last = performance.now()
    look()
  }
  call()
  const stop = stage.watch(() => {
    const wait = last + EVERY_MS - performance.now()
    if (wait <= 0) call()
    else if (timer === 0) timer = window.setTimeout(call, wait)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

interface Props {
  realm: RealmModel
  stage: Stage
  /** Called before a click moves the camera. */
  onTake: () => void
}

export function MiniMap({ realm, stage, onTake }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let painted: Painted | null = null
    let shown: readonly unknown[] = []
    const paint = () => {
      const ctx = canvas.current?.getContext('2d')
      if (!ctx) return
      if (!painted) return
      const { country, forts } = realm.world
      const { tones, land, worst } = painted
      const v = stage.view
      ctx.fillStyle = tones.back
      ctx.fillRect(0, 0, COUNTRY_SIDE, COUNTRY_SIDE)
      ctx.drawImage(land, 0, 0)
      ctx.fillStyle = tones.house
      for (const s of country.sites) ctx.fillRect(s.x, s.y, s.width, s.height)
      for (const f of forts) {
        ctx.fillStyle = f.color
        ctx.fillRect(f.x - 2, f.y - 2, 5, 5)
      }
      for (const { x, y, side, color } of worst) {
        ctx.fillStyle = tones.back
        ctx.fillRect(x - 1, y - 1, side + 2, side + 2)
        ctx.fillStyle = color
        ctx.fillRect(x, y, side, side)
      }
      for (const a of heroesOf(realm.world)) {
        if (a.inside) continue
        ctx.fillStyle = tones.hero
        ctx.fillRect(a.x - 1, a.y - 1, 3, 3)
      }
      if (v) {
        ctx.strokeStyle = tones.frame
        ctx.strokeRect(...frameOf(v))
      }
    }
    const look = () => {
      const on = canvas.current
      if (!on || !isVisible(on)) return
      const { agents, forts, processState } = realm.world
      const next = paintedNow(painted, realm.world, isDark(getComputedStyle(on).color) ? LIGHT : DARK)
      const { x, y, width, height } = stage.view ?? {}
      const now = [next, agents, forts, processState, x, y, width, height]
      if (now.every((value, i) => value === shown[i])) return
      painted = next
      shown = now
      paint()
    }
    return follow(stage, look)
  }, [realm, stage])
  return (
    <canvas
      ref={canvas}
      class="minimap"
      width={COUNTRY_SIDE}
      height={COUNTRY_SIDE}
      role="img"
      aria-label={words.map.minimap}
      data-testid="minimap"
      onClick={(e) => {
        onTake()
        const box = e.currentTarget.getBoundingClientRect()
        stage.lookAt(
          ((e.clientX - box.left) / box.width) * COUNTRY_SIDE,
          ((e.clientY - box.top) / box.height) * COUNTRY_SIDE,
        )
      }}
    />
  )
}
