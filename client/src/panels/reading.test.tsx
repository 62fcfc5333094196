// S4-B10: the scroll position, and copying with and without a clipboard.
import { h, render } from 'preact'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { copyText } from './copy'
import { grow } from './grow'
import { WindowList } from './window-list'

const ROW = 20
const BOX = 200

describe('a long list', () => {
  const rows = (n: number, from = 0) => Array.from({ length: n }, (_, i) => `row ${from + i}`)
  let root: HTMLElement

  // A fake layout: every row is 20 high, the box 200.
  beforeEach(() => {
    measure('offsetHeight', () => ROW)
    measure('clientHeight', () => high)
    measure('scrollHeight', () => count * ROW)
    high = BOX
    root = document.createElement('div')
    document.body.replaceChildren(root)
  })
  afterEach(() => {
    for (const name of ['offsetHeight', 'clientHeight', 'scrollHeight'])
      Reflect.deleteProperty(HTMLDivElement.prototype, name)
  })

  let count = 0
  let high = BOX
  const measure = (name: string, get: () => number) =>
    Object.defineProperty(HTMLDivElement.prototype, name, { configurable: true, get })
  const settle = async () => {
    for (let i = 0; i < 5; i++) await new Promise((done) => setTimeout(done, 0))
  }
  const show = async (items: string[], over: { lead?: string; said?: string; onTop?: () => void } = {}) => {
    count = items.length
    render(
      h(WindowList<string>, {
        items,
        keyOf: (x) => x,
        render: (x) => x,
        estimate: 30,
        follow: true,
        label: 'list',
        isPlace: (x) => x !== 'more',
        ...over,
      }),
      root,
    )
    await settle()
  }
  const box = (): Element => {
    const el = root.querySelector('.window-box')
    if (!el) throw new Error('no box')
    return el
  }
  const scrollTo = async (top: number) => {
    box().scrollTop = top
    box().dispatchEvent(new Event('scroll'))
    await settle()
  }

  it('begins at its end and follows it', async () => {
    await show(rows(1000))
    expect(root.textContent).toContain('row 999')
    expect(root.textContent).not.toContain('row 5 ')
    await show(rows(1001))
    expect(root.textContent).toContain('row 1000')
    expect(box().scrollTop).toBeGreaterThanOrEqual(1001 * ROW - BOX)
  })

  it('leaves a reader further up alone, and offers the way back', async () => {
    await show(rows(1000))
    await scrollTo(400)
    expect(root.textContent).toContain('row 20')
    const top = box().scrollTop
    await show(rows(1010))
    expect(box().scrollTop).toBe(top)
    expect(root.textContent).not.toContain('row 1009')
    root.querySelector<HTMLElement>('.to-end')?.click()
    await settle()
    expect(root.textContent).toContain('row 1009')
    expect(root.querySelector('.to-end')).toBeNull()
  })

  it('stays at its end where what stands below it takes room', async () => {
    await show(rows(1000))
    high = BOX - 100
    await scrollTo(1000 * ROW - BOX - 60) // the browser scrolls by itself when the box changes
    await show(rows(1001))
    expect(root.textContent).toContain('row 1000')
    expect(root.querySelector('.to-end')).toBeNull()
    await scrollTo(400) // the reader scrolls up
    expect(root.querySelector('.to-end')).not.toBeNull()
  })

  it('stays at its end while a row in it grows, between one look at its size and the next', async () => {
    let resized = () => {}
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(told: () => void) {
          resized = told
        }
        observe() {}
        disconnect() {}
      },
    )
    await show(rows(1000))
    count += 20 // the last row has grown
    await scrollTo(box().scrollTop) // the browser reports the earlier scroll only now
    expect(root.querySelector('.to-end')).toBeNull()
    resized()
    expect(box().scrollTop).toBeGreaterThanOrEqual(count * ROW - BOX)
    await scrollTo(400) // the reader scrolls
    const top = box().scrollTop
    count += 5
    resized()
    await settle()
    expect(box().scrollTop).toBe(top)
    expect(root.querySelector('.to-end')).not.toBeNull()
    vi.unstubAllGlobals()
  })

  it('shows who reads further up what they have said', async () => {
    await show(rows(1000), { said: 'earlier' })
    await scrollTo(400)
    await show(rows(1001), { said: 'earlier' })
    expect(root.textContent).not.toContain('row 1000')
    await show(rows(1002), { said: 'mine' })
    expect(root.textContent).toContain('row 1001')
    await scrollTo(400)
    await show(rows(1002), { said: '' }) // the server has confirmed the message
    expect(root.textContent).not.toContain('row 1001')
  })

  it('keeps the row in sight when older ones go', async () => {
    await show(rows(1000))
    await scrollTo(600)
    const top = box().scrollTop
    const cutFrom = firstSeen() - 5
    await show(rows(1000 - cutFrom, cutFrom))
    expect(box().scrollTop).toBeLessThan(top)
    expect(root.textContent).toContain(`row ${cutFrom + 5}`)
  })

  it('asks for what is before its beginning, and keeps the row in sight when it comes', async () => {
    const onTop = vi.fn()
    await show(['more', ...rows(100, 100)], { onTop })
    expect(onTop).not.toHaveBeenCalled()
    await scrollTo(0)
    expect(onTop).toHaveBeenCalled()
    const before = box().scrollTop
    onTop.mockClear()
    await show(['more', ...rows(150, 50)], { onTop })
    // The list got fifty rows before the first one: the person still sees row 100, and the list asks for no more rows.
    expect(box().scrollTop - before).toBeGreaterThanOrEqual(50 * ROW)
    expect(root.textContent).toContain('row 100')
    expect(onTop).not.toHaveBeenCalled()
  })

  it('leads to a row once, and lets the reader go on from there', async () => {
    await show(rows(1000), { lead: 'row 300' })
    expect(root.textContent).toContain('row 300')
    expect(root.textContent).not.toContain('row 999')
    await new Promise((done) => setTimeout(done, 320)) // earlier scroll events come from the list itself
    await scrollTo(4_000)
    await show(rows(1001), { lead: 'row 300' })
    expect(root.textContent).not.toContain('row 300')
    await show(rows(1001), { lead: 'row 700' })
    expect(root.textContent).toContain('row 700')
  })

  function firstSeen(): number {
    const keys = [...root.querySelectorAll<HTMLElement>('[data-key]')].map((el) => Number(el.dataset['key']?.slice(4)))
    return Math.min(...keys) + 10
  }

  it('draws what is in sight and no more', async () => {
    await show(rows(10_000))
    expect(root.querySelectorAll('[data-key]').length).toBeLessThan(120)
  })
})

describe('a text area', () => {
  it('grows in a row that keeps its height meanwhile', () => {
    const row = document.createElement('div')
    const area = row.appendChild(document.createElement('textarea'))
    Object.defineProperty(row, 'offsetHeight', { get: () => 90 })
    const seen: string[] = []
    Object.defineProperty(area, 'scrollHeight', {
      get: () => (seen.push(`${area.style.height} in ${row.style.height}`), 300),
    })
    grow(area, 160)
    expect(seen).toEqual(['auto in 90px'])
    expect([area.style.height, row.style.height]).toEqual(['160px', ''])
  })
})

describe('copying', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    Reflect.deleteProperty(document, 'execCommand')
  })

  it('uses the clipboard', async () => {
    const writeText = vi.fn(async () => {})
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    expect(await copyText('x')).toBe(true)
    expect(writeText).toHaveBeenCalledWith('x')
  })

  it('selects and copies where there is none, and cleans up', async () => {
    vi.stubGlobal('navigator', {})
    const execCommand = vi.fn(() => true)
    Object.assign(document, { execCommand })
    expect(await copyText('x')).toBe(true)
    expect(execCommand).toHaveBeenCalledWith('copy')
    expect(document.querySelector('textarea')).toBeNull()
  })

  it('says when neither works', async () => {
    vi.stubGlobal('navigator', {})
    Object.assign(document, {
      execCommand: () => {
        throw new Error('no')
      },
    })
    expect(await copyText('x')).toBe(false)
  })
})
