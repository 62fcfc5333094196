// The whole country in small: explored land, houses, forts, heroes and the visible part. A click moves the camera.
import { useEffect, useRef } from 'preact/hooks'
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { COUNTRY_SIDE, decodeGrid } from '../state/grid'
import { words } from '../words'
import type { Stage } from './canvas/stage'

/** The colours of tiles by their numbers: red, green, blue, and no opacity yet. */
const LAND = [
  0x2f5d4a00, 0x3b3f5c00, 0x27548a00, 0x9a725000, 0x9a725000, 0x1f3f3800, 0x565a7a00, 0x9a725000, 0x9a725000,
  0x8f2f3a00, 0x8a63d200,
]
const GRASS = 0x2f5d4a00
/** The opacity of land. */
const EXPLORED = 0xff
const UNKNOWN = 0x59

/** The explored land, a pixel for each tile. */
function drawLand({ country, fog }: RealmModel['world']): HTMLCanvasElement {
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
    pixels.setUint32(i * 4, (LAND[land[i]!] ?? GRASS) | (explored[i] ? EXPLORED : UNKNOWN))
  g.putImageData(image, 0, 0)
  return canvas
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
    let frame = 0
    let land: { country: unknown; fog: unknown; drawn: HTMLCanvasElement } | null = null
    let shown = ''
    const paint = () => {
      const ctx = canvas.current?.getContext('2d')
      if (!ctx) return
      const { country, fog, forts } = realm.world
      const v = stage.view
      if (land?.country !== country || land.fog !== fog) land = { country, fog, drawn: drawLand(realm.world) }
      ctx.fillStyle = '#0d0f1a'
      ctx.fillRect(0, 0, COUNTRY_SIDE, COUNTRY_SIDE)
      ctx.drawImage(land.drawn, 0, 0)
      ctx.fillStyle = '#a9adc4'
      for (const s of country.sites) ctx.fillRect(s.x, s.y, s.width, s.height)
      for (const f of forts) {
        ctx.fillStyle = f.color
        ctx.fillRect(f.x - 2, f.y - 2, 5, 5)
      }
      for (const a of heroesOf(realm.world)) {
        if (a.inside) continue
        ctx.fillStyle = '#f3ecd9'
        ctx.fillRect(a.x - 1, a.y - 1, 3, 3)
      }
      if (v) {
        ctx.strokeStyle = '#ffd27a'
        ctx.strokeRect(v.x + 0.5, v.y + 0.5, v.width, v.height)
      }
    }
    // Asks for a frame only if something has changed, because each makes the browser look through the whole page.
    const look = () => {
      if (document.hidden) return
      const { country, fog, forts } = realm.world
      const at = heroesOf(realm.world).map((a) => (a.inside ? null : [a.x, a.y]))
      const now = JSON.stringify([stage.view, forts, at])
      if (land?.country === country && land.fog === fog && now === shown) return
      shown = now
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(paint)
    }
    // Heroes and the camera move without a render of this component, so a timer looks for changes four times a second.
    const timer = setInterval(look, 250)
    look()
    return () => {
      clearInterval(timer)
      cancelAnimationFrame(frame)
    }
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
