// The button that lets the map follow the action shows its real state.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { describe, expect, it } from 'vitest'
import { AppContext } from '../../panels/context'
import { find, greet, KNOWN, openPage } from '../../testing/page'
import { info, overlays, running, seated, snapshot, welcomeSnapshot } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
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

/** A page that a server has welcomed. */
async function connected() {
  const p = await openPage(memoryStorage(KNOWN))
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, running(5)), overlays(), seated)
  return p
}

it('the line breaks after the slashes of a path', async () => {
  const { app } = await connected()
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

it('while the server is away, the line calls the scene the last one seen', async () => {
  const p = await connected()
  const root = document.createElement('div')
  document.body.append(root)
  const line = (
    <AppContext.Provider value={p.app}>
      <SceneLine shot={shot('speaks')} onTake={() => undefined} />
    </AppContext.Provider>
  )
  void act(() => render(line, root))
  expect(find({ ...p, root }, 'scene').textContent).toBe('Ann speaks')
  void act(() => p.net.last.end())
  expect(find({ ...p, root }, 'scene').textContent).toBe('Last seen: Ann speaks')
})

describe('the button Follow the action', () => {
  const shown = async (of: Shot | null, hand = false) => {
    const p = await connected()
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
