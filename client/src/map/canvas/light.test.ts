// Which areas a shade reports as changed.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Shade, type Rgba } from './light'

const COLOURS: readonly Rgba[] = [
  [0, 0, 0, 200],
  [0, 0, 0, 100],
]
const WARM: Rgba = [255, 200, 100, 50]

beforeEach(() => {
  const g = {
    canvas: { width: 0, height: 0 },
    createImageData: (w: number, h: number) => ({ data: new Uint8ClampedArray(w * h * 4) }),
    putImageData: () => undefined,
  }
  vi.spyOn(document, 'createElement').mockReturnValue({ getContext: () => g } as unknown as HTMLElement)
})
afterEach(() => vi.restoreAllMocks())

it('says where tiles have changed, and keeps what no frame has room for', () => {
  const shade = new Shade()
  const dark = new Uint8Array(16 * 16)
  const lit = new Float32Array(16 * 16)
  const set = () => shade.set(16, 16, COLOURS, dark, lit, WARM)
  set()
  expect(shade.take(Infinity)).toHaveLength(2)
  set()
  expect(shade.waits).toBe(false)
  dark[12 * 16 + 3] = 1 // in the lower left cell
  set()
  dark[12 * 16 + 5] = 1
  lit[2 * 16 + 9] = 0.5 // in the upper right cell
  set()
  expect(shade.take(0)).toEqual([{ left: 0, right: 128, top: 128, bottom: 256 }])
  expect(shade.waits).toBe(true)
  expect(shade.take(0)).toEqual([{ left: 128, right: 256, top: 0, bottom: 128 }])
  expect(shade.waits).toBe(false)
})
