// A text as a QR code. It is dark on light in both themes, because some readers cannot read light on dark.
import { generate } from 'lean-qr'
import { useMemo } from 'preact/hooks'
import { shareWords } from '../../words-share'

/** The width of the light border that QR code readers need, in modules. A module is a square of the code. */
const EDGE = 4
/**
 * The largest version (size) of a QR code. It has 77 modules in a row, or 85 with the borders: two pixels for each
 * module at 176 pixels.
 */
const MAX_VERSION = 15

/**
 * Shows the code. If the text has more than about 520 bytes, it shows a notice instead: a camera cannot read finer
 * modules.
 */
export function QrCode({ text }: { text: string }) {
  const code = useMemo(() => drawn(text), [text])
  if (code === null)
    return (
      <p class="quiet" data-testid="share-no-qr">
        {shareWords.noQr}
      </p>
    )
  const { path, size } = code
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

/** The dark modules as an SVG path: a bar for each run of dark modules in a row. Null if the text is too long. */
function drawn(text: string): { path: string; size: number } | null {
  const code = codeOf(text)
  if (code === null) return null
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

function codeOf(text: string): ReturnType<typeof generate> | null {
  try {
    return generate(text, { maxVersion: MAX_VERSION })
  } catch {
    return null // the text is too long for MAX_VERSION
  }
}
