// A text as a QR code. It is dark on light in both themes, because some readers cannot read light on dark.
import { generate } from 'lean-qr'
import { useMemo } from 'preact/hooks'
import { shareWords } from '../../words-share'

/** The light border that readers need, in modules. */
const EDGE = 4

export function QrCode({ text }: { text: string }) {
  const { path, size } = useMemo(() => drawn(text), [text])
  return (
    <svg
      class="qr"
      data-testid="share-qr"
      role="img"
      aria-label={shareWords.qr}
      viewBox={`${-EDGE} ${-EDGE} ${size + 2 * EDGE} ${size + 2 * EDGE}`}
      shape-rendering="crispEdges"
    >
      <path d={path} />
    </svg>
  )
}

/** The dark modules as an SVG path: a bar for each run of dark modules in a row. */
function drawn(text: string): { path: string; size: number } {
  const code = generate(text)
  let path = ''
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) {
      const from = x
      while (code.get(x, y)) x++
      if (x > from) path += `M${from} ${y}h${x - from}v1h${from - x}z`
    }
  }
  return { path, size: code.size }
}
