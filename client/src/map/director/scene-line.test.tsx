// The button that lets the map follow the action shows its real state.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { describe, expect, it } from 'vitest'
import { AppContext } from '../../panels/context'
import { find, openPage } from '../../testing/page'
import type { Shot, Why } from './direct'
import { SceneLine } from './scene-line'

const shot = (kind: Why['kind']): Shot => ({
  key: kind,
  place: null,
  hero: '',
  why: { kind, name: 'Ann', file: 'a.go' },
  since: 0,
  gone: 0,
})

it('the line breaks after the slashes of a path', async () => {
  const { app } = await openPage()
  const root = document.createElement('div')
  const of = { ...shot('reads'), why: { kind: 'reads' as const, name: 'Ann', file: 'a/b.go' } }
  void act(() =>
    render(
      <AppContext.Provider value={app}>
        <SceneLine shot={of} onTake={() => undefined} />
      </AppContext.Provider>,
      root,
    ),
  )
  const line = root.querySelector('.scene-why')
  expect([line?.textContent, line?.innerHTML]).toEqual(['Ann reads a/b.go', 'Ann reads a/<wbr>b.go'])
})

describe('the button Follow the action', () => {
  const shown = async (of: Shot | null, hand = false) => {
    const p = await openPage()
    if (hand) p.app.watching.take()
    const root = document.createElement('div')
    document.body.append(root)
    const line = (
      <AppContext.Provider value={p.app}>
        <SceneLine shot={of} onTake={() => p.app.watching.take()} />
      </AppContext.Provider>
    )
    void act(() => render(line, root))
    const page = { ...p, root }
    return { page, button: find(page, 'follow-action') }
  }

  it('is lit only while there is something to follow, and says which', async () => {
    const { button } = await shown(shot('reads'))
    expect([button.dataset['state'], button.getAttribute('aria-pressed')]).toEqual(['on', 'true'])
    const { page, button: rest } = await shown(shot('rest'))
    expect([rest.dataset['state'], rest.getAttribute('aria-pressed')]).toEqual(['rest', 'true'])
    expect(rest.title).toContain('On, but at rest')
    expect(find(page, 'scene').textContent).toBe('Nobody is at work')
    const { button: off } = await shown(null, true)
    expect([off.dataset['state'], off.getAttribute('aria-pressed')]).toEqual(['off', 'false'])
  })

  it('is switched off at rest, too', async () => {
    const { page, button } = await shown(shot('rest'))
    void act(() => button.click())
    expect(page.app.watching.directed.value).toBe(false)
    void act(() => button.click())
    expect(page.app.watching.directed.value).toBe(true)
  })
})
