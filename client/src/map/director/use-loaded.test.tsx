// The line and the path over the map change when the picture can, and not before its room has arrived.
import { act } from 'preact/test-utils'
import { render } from 'preact'
import { expect, it } from 'vitest'
import type { MapChange } from '../../net/protocol.gen'
import { AppContext } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import { drawn, greet, KNOWN, openPage } from '../../testing/page'
import { info, overlays, running, seated, snapshot, welcomeSnapshot } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import type { Shot } from './direct'
import { useLoaded } from './use-loaded'

const shot = (path: string | null): Shot => ({
  key: 'ann',
  place: path === null ? null : { path, page: 0 },
  hero: 'ann',
  why: { kind: 'reads', name: 'Ann', file: `${path}/a.go` },
  since: 0,
  gone: 0,
})
const room = (path: string) =>
  ({ type: 'map:change', path, page: 0, pages: 1, room: { path, generation: 1, width: 5, height: 5 } }) as MapChange

function Shown({ realm, to }: { realm: RealmModel; to: Shot | null }) {
  return <p>{useLoaded(realm, to)?.place?.path ?? 'country'}</p>
}

async function shown() {
  const p = await openPage(memoryStorage(KNOWN))
  const child = { name: 'src', path: 'src', files: 1, folders: 0, children: [] }
  const w = running(5)
  const mapTree = { name: '', path: '', files: 2, folders: 1, children: [child] }
  const world = { ...w, mapTree, map: { ...w.map, files: 2, folders: 1 } }
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, world), overlays(), seated)
  await drawn()
  const root = document.createElement('div')
  document.body.append(root)
  const show = (to: Shot | null) =>
    act(() =>
      render(
        <AppContext.Provider value={p.app}>
          <Shown realm={p.app.model.realm!} to={to} />
        </AppContext.Provider>,
        root,
      ),
    )
  const asked = () => p.net.last.ofType('map:room').filter((f) => f.path === 'src')
  return { p, root, show, asked }
}

it('asks for the room to which the shown hero walks', async () => {
  const { root, show, asked } = await shown()
  void show({ ...shot(null), why: { kind: 'comes', name: 'Ann', file: 'src/a.go' } })
  expect(asked()).toHaveLength(1)
  void show(shot('src'))
  expect(asked()).toHaveLength(1)
  render(null, root)
})

it('holds a scene back until its room has arrived, and asks for the room', async () => {
  const { p, root, show, asked } = await shown()
  void show(shot(null))
  void show(shot('src'))
  expect(root.textContent).toBe('country')
  expect(asked()).toHaveLength(1)
  p.net.last.say({ ...room('src'), requestId: asked()[0]!.requestId })
  await drawn()
  expect(root.textContent).toBe('src')
  void show(null)
  expect(root.textContent).toBe('country')
  render(null, root)
})
