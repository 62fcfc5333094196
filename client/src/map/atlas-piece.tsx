// An image from the atlas that scripts/art draws, shown beside text or over the map. The canvas is empty until the
// atlas is loaded.
import { useEffect, useRef } from 'preact/hooks'
import { loadAtlas } from './canvas/atlas'
import { tint } from './canvas/palette'

interface Props {
  piece: string
  /** The colour of the cloth in the image, such as a cloak or a banner; "" for none. */
  color?: string
  class: string
}

export function AtlasPiece({ piece, color = '', class: name }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let gone = false
    const draw = async () => {
      const atlas = await loadAtlas('/atlas')
      const p = color ? atlas.tinted(piece, tint(color)) : atlas.get(piece)
      const on = canvas.current
      if (gone || !p || !on) return
      on.width = p.w
      on.height = p.h
      on.getContext('2d')?.drawImage(p.from, p.x, p.y, p.w, p.h, 0, 0, p.w, p.h)
    }
    draw().catch(() => undefined) // without the atlas the map is a list
    return () => {
      gone = true
    }
  }, [piece, color])
  return <canvas class={name} ref={canvas} width={16} height={16} aria-hidden="true" />
}
