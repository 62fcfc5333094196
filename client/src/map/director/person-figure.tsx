// The figure of a person on the map: the drawing of scripts/art in the person's colour.
import { useEffect, useRef } from 'preact/hooks'
import { loadAtlas } from '../canvas/atlas'
import { tint } from '../canvas/palette'

export function PersonFigure({ color }: { color: string }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let gone = false
    const draw = async () => {
      const piece = (await loadAtlas('/atlas')).tinted('onlooker', tint(color))
      const g = canvas.current?.getContext('2d')
      if (gone || !piece || !g) return
      g.clearRect(0, 0, piece.w, piece.h)
      g.drawImage(piece.from, piece.x, piece.y, piece.w, piece.h, 0, 0, piece.w, piece.h)
    }
    draw().catch(() => undefined) // without the atlas the map is a list
    return () => {
      gone = true
    }
  }, [color])
  return <canvas class="onlooker" ref={canvas} width={15} height={20} />
}
