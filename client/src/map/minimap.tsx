// The whole country in small: explored land, houses, forts, heroes and the visible part. A click moves the camera.
import { useEffect, useRef } from 'preact/hooks'
import { heroesOf } from '../state/heroes'
import type { RealmModel } from '../state/model'
import { COUNTRY_SIDE, decodeGrid } from '../state/grid'
import { words } from '../words'
import type { Stage } from './canvas/stage'

const LAND = [
  '#2f5d4a',
  '#3b3f5c',
  '#27548a',
  '#9a7250',
  '#9a7250',
  '#1f3f38',
  '#565a7a',
  '#9a7250',
  '#9a7250',
  '#8f2f3a',
  '#8a63d2',
]

/** The explored land, a pixel for each tile. */
function drawLand({ country, fog }: RealmModel['world']): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = COUNTRY_SIDE
  const g = canvas.getContext('2d')
  const layer = fog.find((f) => f.name === 'explored')
  if (!g || !layer || country.tiles.width !== COUNTRY_SIDE) return canvas
  const land = decodeGrid(country.tiles)
  const explored = decodeGrid(layer)
  for (let i = 0; i < land.length; i++) {
    g.globalAlpha = explored[i] ? 1 : 0.35
    g.fillStyle = LAND[land[i] ?? 0] ?? '#2f5d4a'
    g.fillRect(i % COUNTRY_SIDE, Math.floor(i / COUNTRY_SIDE), 1, 1)
  }
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
      const agents = heroesOf(realm.world)
      const v = stage.view
      const fresh = land?.country === country && land.fog === fog
      if (!land || !fresh) land = { country, fog, drawn: drawLand(realm.world) }
      const now = JSON.stringify([v, forts, agents.map((a) => (a.inside ? null : [a.x, a.y]))])
      if (fresh && now === shown) return
      shown = now
      ctx.fillStyle = '#0d0f1a'
      ctx.fillRect(0, 0, COUNTRY_SIDE, COUNTRY_SIDE)
      ctx.drawImage(land.drawn, 0, 0)
      ctx.fillStyle = '#a9adc4'
      for (const s of country.sites) ctx.fillRect(s.x, s.y, s.width, s.height)
      for (const f of forts) {
        ctx.fillStyle = f.color
        ctx.fillRect(f.x - 2, f.y - 2, 5, 5)
      }
      for (const a of agents) {
        if (a.inside) continue
        ctx.fillStyle = '#f3ecd9'
        ctx.fillRect(a.x - 1, a.y - 1, 3, 3)
      }
      if (v) {
        ctx.strokeStyle = '#ffd27a'
        ctx.strokeRect(v.x + 0.5, v.y + 0.5, v.width, v.height)
      }
    }
    // Heroes and the camera move without a render of this component, so a timer looks for changes four times a second.
    const timer = setInterval(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(paint)
    }, 250)
    paint()
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
