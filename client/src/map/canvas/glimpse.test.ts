// The small picture of a second scene is painted when something in it has changed, and only then.
import { describe, expect, it, vi } from 'vitest'
import { Atlas, type Pen } from './atlas'
import type { Country } from './country'
import { Glimpse } from './glimpse'
import type { HeroNow } from './heroes-now'
import type { Moment } from './scene'

const hero = (over: Partial<HeroNow> = {}): HeroNow => ({
  id: 'ann',
  name: 'Ann',
  color: '#4fb8a3',
  x: 4,
  y: 4,
  frame: 'hero.sage.read0',
  moving: false,
  lit: true,
  room: null,
  page: 0,
  file: '',
  says: undefined,
  ...over,
})

function picture() {
  const pen = { setTransform: vi.fn(), fillRect: vi.fn() } as unknown as Pen
  const canvas = { clientWidth: 208, clientHeight: 124, width: 0, height: 0, getContext: () => pen }
  const glimpse = vi.fn()
  const country = { world: { width: 1920, height: 1920 }, glimpse } as unknown as Country
  const atlas = new Atlas({} as CanvasImageSource, {})
  const g = new Glimpse(canvas as unknown as HTMLCanvasElement, 'ann', atlas, country)
  const world = { country: {}, forts: [], paths: [], findings: [] }
  const tones = { beyond: '#000' }
  const show = (heroes: HeroNow[], over: object = {}) => {
    g.draw({ realm: { world: { ...world, ...over }, rooms: {} }, heroes, tones, now: 0 } as unknown as Moment)
    return glimpse.mock.calls.length
  }
  return { show, glimpse }
}

describe('the small picture', () => {
  it('is painted when the hero, what is near it, or the ground has changed', () => {
    const { show } = picture()
    const far = hero({ id: 'far', x: 90, y: 90 })
    expect(show([hero(), far])).toBe(1)
    expect(show([hero(), { ...far, x: 91 }])).toBe(1)
    expect(show([hero({ frame: 'hero.sage.read1' }), far])).toBe(2)
    expect(show([hero({ frame: 'hero.sage.read1' }), { ...far, x: 5, y: 5 }])).toBe(3)
    expect(show([hero({ frame: 'hero.sage.read1' }), { ...far, x: 5, y: 5 }], { forts: [1] })).toBe(4)
  })

  it('shows the hero in its middle, and only heroes of the same place', () => {
    const { show, glimpse } = picture()
    show([hero({ x: 50, y: 50 }), hero({ id: 'indoors', x: 50, y: 50, room: 'src' })])
    const [, frame, , heroes] = glimpse.mock.calls[0] as [Pen, { seen: { left: number; right: number } }, 0, HeroNow[]]
    expect((frame.seen.left + frame.seen.right) / 2).toBeCloseTo(50.5 * 16, 0)
    expect(heroes.map((h) => h.id)).toEqual(['ann'])
  })

  it('is not painted before its room has arrived, and when the hero has left', () => {
    const { show } = picture()
    expect(show([hero({ room: 'src' })])).toBe(0)
    expect(show([])).toBe(0)
  })
})
