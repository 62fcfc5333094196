// The map behind the words of the start screen, before a folder is linked.
import { afterEach, expect, it, vi } from 'vitest'
import { render } from 'preact'
import { useOffered } from './use-offered'

afterEach(() => {
  vi.unstubAllGlobals()
  render(null, document.body)
})

function Shown({ path }: { path: string }) {
  const realm = useOffered(path)
  return <p>{realm ? `${realm.id} ${realm.world.realm.name} ${realm.world.country.sites.length}` : 'none'}</p>
}

const drawn = () => vi.waitFor(() => expect(document.body.textContent).toContain('x-1 x 1'))

it('is that of the offered folder, and asked for only where one is offered (P5.1a)', async () => {
  const site = { path: '', name: 'x', files: 1, x: 0, y: 0, width: 1, height: 1, doorX: 0, doorY: 0 }
  const country = { tiles: { name: 'tiles', width: 1, height: 1, runs: [0, 1] }, sites: [site] }
  const asked = vi.fn(() => Promise.resolve(Response.json({ realmId: 'x-1', name: 'x', country })))
  vi.stubGlobal('fetch', asked)
  render(<Shown path="" />, document.body)
  expect(document.body.textContent).toBe('none')
  expect(asked).not.toHaveBeenCalled()
  render(<Shown path="/home/x" />, document.body)
  await drawn()
  expect(asked).toHaveBeenCalledTimes(1)
})

it('is absent where the server refuses it, and nothing is told', async () => {
  const refused = vi.fn(() => Promise.resolve(Response.json({ code: 'conflict', message: 'linked' }, { status: 409 })))
  vi.stubGlobal('fetch', refused)
  render(<Shown path="/home/x" />, document.body)
  await vi.waitFor(() => expect(refused).toHaveBeenCalled())
  expect(document.body.textContent).toBe('none')
})
