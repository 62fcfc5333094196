// The marks on the page: buttons that say what they mean, one stop of the Tab key, and placed by the camera.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { describe, expect, it, vi } from 'vitest'
import type { Projection, Stage } from '../canvas/stage'
import type { MapMark } from './map-marks'
import { MarksLayer } from './marks-layer'

const mark = (path: string, over: Partial<MapMark> = {}): MapMark => ({
  kind: 'house',
  path,
  name: path,
  x: 10,
  y: 20,
  glow: 4,
  severities: [
    ['high', 2],
    ['medium', 1],
  ],
  total: 3,
  uncommitted: 0,
  old: '',
  people: [],
  ...over,
})
const MARKS = [mark(''), mark('client'), mark('docs', { severities: [], total: 0, glow: 0, uncommitted: 2 })]

function drawn(onPick = vi.fn()) {
  let move: (p: Projection) => void = () => undefined
  const stage = {
    watch: (f: typeof move) => {
      move = f
      return () => undefined
    },
  } as unknown as Stage
  const root = document.createElement('div')
  document.body.append(root)
  void act(() =>
    render(
      <MarksLayer marks={MARKS} at="country" stage={stage} root="repo" onPick={onPick} onTake={() => undefined} />,
      root,
    ),
  )
  const camera = (at: string, controls: Projection['controls'] = []): void =>
    move({ at, project: (x, y) => ({ x: x * 2, y: y * 2 }), zoom: 1, width: 800, height: 600, controls })
  return { root, camera, buttons: [...root.querySelectorAll('button')] }
}

describe('the marks of houses', () => {
  it('say what they mean', () => {
    expect(drawn().buttons.map((b) => b.getAttribute('aria-label'))).toEqual([
      'repo: 3 findings: 2 high, 1 medium',
      'client: 3 findings: 2 high, 1 medium',
      'docs: 2 files not committed',
    ])
  })

  it('are one stop of the Tab key, and arrow keys go through them', () => {
    const { root, buttons } = drawn()
    const stops = () => buttons.map((b) => b.tabIndex)
    expect(stops()).toEqual([0, -1, -1])
    const press = (key: string) =>
      act(() => {
        root.querySelector('ul')!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      })
    void press('ArrowRight')
    expect(stops()).toEqual([-1, 0, -1])
    expect(document.activeElement).toBe(buttons[1])
    void press('ArrowLeft')
    void press('ArrowLeft')
    expect(document.activeElement).toBe(buttons[2])
  })

  it('are where the camera shows their houses, and hidden while another place is drawn', () => {
    const { root, camera } = drawn()
    const list = root.querySelector('ul')!
    camera('room client 0')
    expect(list.hidden).toBe(true)
    camera('country')
    expect(list.hidden).toBe(false)
    expect((list.children[0] as HTMLElement).style.transform).toBe('translate(20px, 40px)')
  })

  it('are hidden while a control lies over them, also if it comes while the camera stands still', () => {
    const { root, camera, buttons } = drawn()
    const first = root.querySelector('li')!
    buttons[0]!.getBoundingClientRect = () => new DOMRect(6, 12, 28, 28)
    camera('country')
    expect(first.style.visibility).toBe('')
    camera('country', [{ left: 30, right: 90, top: 0, bottom: 20 }])
    expect(first.style.visibility).toBe('hidden')
    camera('country')
    expect(first.style.visibility).toBe('')
  })

  it('report a click', () => {
    const onPick = vi.fn()
    drawn(onPick).buttons[1]!.click()
    expect(onPick).toHaveBeenCalledWith(MARKS[1])
  })
})
