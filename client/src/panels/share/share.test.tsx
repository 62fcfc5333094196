// The dialog with the link by which others come, and the settings of each person.
import jsQR from 'jsqr'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HUES } from '../../identity/identity'
import type { Settings, Share, World } from '../../net/protocol.gen'
import { linkTo } from '../../net/share'
import { CAST, openConversations } from '../../testing/conversation-page'
import { drawn, find, has, type Page } from '../../testing/page'
import { AT, running } from '../../testing/samples'

const links: Share = {
  host: ['http://10.0.0.5:3001/?token=hhh', 'http://10.1.0.5:3001/?token=hhh'],
  spectator: ['http://10.0.0.5:3001/?token=s%26s', 'http://10.1.0.5:3001/?token=s%26s'],
}

afterEach(() => vi.unstubAllGlobals())

type Process = Partial<World['processState']>

async function share(answer: Share | null, settings: Partial<Settings> = {}, process: Process = {}): Promise<Page> {
  const ok = answer !== null
  const body = answer ?? { code: 'not_allowed', message: 'this is for hosts' }
  vi.stubGlobal(
    'fetch',
    vi.fn(() => Promise.resolve({ ok, json: () => Promise.resolve(body) })),
  )
  await import('./share') // the dialog is loaded when it is first opened
  const p = await openConversations({ process: { cast: CAST.slice(0, 1), ...process } })
  if (Object.keys(settings).length > 0) {
    p.net.last.say({ type: 'settings:updated', seq: 51, at: AT, settings: { ...running(50).settings, ...settings } })
    await drawn()
  }
  find(p, 'open-share').click()
  for (let i = 0; i < 50 && !has(p, 'share-may') && !p.root.querySelector('[role=alert]'); i++) await drawn()
  return p
}

const link = (p: Page) => (find(p, 'share-link') as HTMLInputElement).value
const pick = async (p: Page, testid: string, value: string) => {
  const select = find(p, testid) as HTMLSelectElement
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
  await drawn()
}

/** The text that a camera reads from the QR code. Each module of the code is drawn with 4 by 4 pixels. */
function scanned(p: Page): string | undefined {
  const svg = find(p, 'share-qr')
  const [left = 0, top = 0, width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(' ').map(Number)
  const scale = 4
  const pixels = new Uint8ClampedArray(width * height * scale * scale * 4).fill(255)
  for (const [, x, y, w] of svg
    .querySelector('path')!
    .getAttribute('d')!
    .matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let dy = 0; dy < scale; dy++)
      for (let dx = 0; dx < Number(w) * scale; dx++) {
        const row = (Number(y) - top) * scale + dy
        const at = 4 * (row * width * scale + (Number(x) - left) * scale + dx)
        pixels.fill(0, at, at + 3)
      }
  return jsQR(pixels, width * scale, height * scale, { inversionAttempts: 'dontInvert' })?.data
}

describe('the dialog Share (P2.7)', () => {
  it('has a link for spectators to the place that is shown, as text and as a QR code', async () => {
    const p = await share(links)
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1?token=s%26s')
    expect(scanned(p)).toBe(link(p))
    await pick(p, 'share-address', '1')
    expect(link(p)).toBe('http://10.1.0.5:3001/r/r1?token=s%26s')
  })

  it('has a code from which the longest link that it holds is read, and says when a link is longer', async () => {
    const token = 'Az0-_'.repeat(20)
    const p = await share({ ...links, host: [`http://192.168.178.123:30001/?token=${token}`] })
    await pick(p, 'share-role', 'host')
    const open = async (length: number) => {
      const folder = 'ü b/'
      p.app.places.open(folder + 'x'.repeat(length - folder.length), 12_345)
      await drawn()
    }
    let longest = 0
    for (let length = 300; length < 420; length++) {
      await open(length)
      if (has(p, 'share-no-qr')) break
      longest = length
    }
    expect(longest).toBeGreaterThan(300)
    expect(longest).toBeLessThan(419)
    await open(longest)
    expect(link(p).length).toBeGreaterThan(500)
    expect(scanned(p)).toBe(link(p))
    await open(4096)
    expect(has(p, 'share-qr')).toBe(false)
    expect(find(p, 'share-no-qr').textContent).toContain('too long for a QR code')
    expect(link(p)).toContain('x'.repeat(4000))
  })

  it('has a link for hosts, and says what each may do', async () => {
    const p = await share(links)
    expect(find(p, 'share-may').textContent).toContain('cannot open files')
    await pick(p, 'share-role', 'host')
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1?token=hhh')
    expect(find(p, 'share-may').textContent).toContain('all that you may')
  })

  it('begins with the link for hosts while a process has roles to take, and says that it takes this link', async () => {
    const p = await share(links, {}, { cast: CAST })
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1?token=hhh')
    await pick(p, 'share-role', 'spectator')
    expect(find(p, 'share-may').textContent).toContain('To take a role, people need the link for hosts.')
    const over = await share(links, {}, { cast: CAST, status: 'completed' })
    expect(find(over, 'share-may').textContent).not.toContain('To take a role')
  })

  it('says what the realm allows spectators', async () => {
    const p = await share(links, { filesFor: 'everybody', shadowsFor: 'everybody' })
    expect(find(p, 'share-may').textContent).toContain('open the files')
    expect(find(p, 'share-may').textContent).toContain('told, say and do')
  })

  it('leads to an open file only those who may open it', async () => {
    const p = await share(links)
    p.app.places.open('src/a b.go', 7)
    await drawn()
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1?token=s%26s')
    await pick(p, 'share-role', 'host')
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1/f/src/a%20b.go?token=hhh#L7')
  })

  it('leads to the realm once a process is over, or to the folder that is shown, as chosen', async () => {
    const running = await share(links)
    running.app.walk('src')
    await drawn()
    expect(has(running, 'share-place')).toBe(false) // a process that runs has no result
    const p = await share(links, {}, { status: 'completed' })
    p.app.walk('src')
    await drawn()
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1?token=s%26s')
    await pick(p, 'share-place', 'here')
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1/d/src?token=s%26s')
    expect(find(p, 'share').textContent).toContain('It opens this folder.')
    await pick(p, 'share-place', 'realm')
    expect(link(p)).toBe('http://10.0.0.5:3001/r/r1?token=s%26s')
  })

  it('says on a server without tokens that everybody is host, and that only this machine reaches it', async () => {
    const p = await share({ host: ['http://127.0.0.1:3001/'], spectator: [], open: true, local: true })
    expect(link(p)).toBe('http://127.0.0.1:3001/r/r1')
    expect(find(p, 'share').textContent).toContain('everybody who opens this address is a host')
    expect(find(p, 'share').textContent).toContain('own machine only')
    expect(has(p, 'share-role')).toBe(false)
    expect(has(p, 'share-qr')).toBe(false)
  })

  it('names the flag that lets others in, with the port of this server', async () => {
    const p = await share({ host: ['http://127.0.0.1:3461/'], spectator: [], open: true, local: true })
    expect(find(p, 'share-flag').querySelector('code')?.textContent).toBe('-addr 0.0.0.0:3461')
  })

  it('names the flag for tokens behind a proxy, where the address of a server without them is no use', async () => {
    const p = await share({ host: ['https://dungeon.example/'], spectator: [], open: true })
    expect(find(p, 'share').textContent).not.toContain('everybody who opens')
    expect(find(p, 'share-may').textContent).toContain('is asked for a token')
    expect(has(p, 'share-qr')).toBe(false)
    expect(find(p, 'share-flag').querySelector('code')?.textContent).toMatch(/^-token-file /)
  })

  it('says why there is no link', async () => {
    const p = await share(null)
    expect(find(p, 'share').textContent).toContain('this is for hosts')
  })

  it('is for hosts', async () => {
    const p = await openConversations({ host: false })
    expect(has(p, 'open-share')).toBe(false)
  })
})

it('a link keeps its token, and takes the path and the line of a place', () => {
  const place = { kind: 'file', realmId: 'r1', path: 'a?b/c#d.go', line: 3 } as const
  expect(linkTo('https://x.example/?token=a%2Bb', place)).toBe('https://x.example/r/r1/f/a%3Fb/c%23d.go?token=a%2Bb#L3')
  expect(linkTo('https://x.example/?token=a', null)).toBe('https://x.example/?token=a')
})

describe('preferences', () => {
  it('are for spectators, too; the settings of the realm are not', async () => {
    const p = await openConversations({ host: false })
    expect(has(p, 'open-settings')).toBe(false)
    find(p, 'open-preferences').click()
    await drawn()
    for (const id of ['setting-theme', 'setting-speech', 'setting-notify', 'setting-sound'])
      expect(has(p, id), id).toBe(true)
    expect(has(p, 'erase-me')).toBe(false)
  })

  it('change the name and the colour at once', async () => {
    const p = await openConversations({ host: false })
    find(p, 'open-preferences').click()
    await drawn()
    const field = find(p, 'identity-name') as HTMLInputElement
    const enter = async (name: string) => {
      field.value = name
      field.dispatchEvent(new Event('input', { bubbles: true }))
      await drawn()
      field.dispatchEvent(new Event('change', { bubbles: true }))
      await drawn()
    }
    await enter('Grace')
    expect(p.app.identity.value?.name).toBe('Grace')
    expect(p.net.last.sent.at(-1)).toMatchObject({ type: 'spectator:register', name: 'Grace' })
    await enter(' ')
    expect(p.app.identity.value?.name).toBe('Grace')
    find(p, 'color-3').click()
    await drawn()
    expect(p.app.identity.value).toMatchObject({ name: 'Grace', color: HUES[3] })
  })

  it('are in the menu of a phone', async () => {
    const p = await openConversations({ layout: 'phone', host: false })
    expect(has(p, 'open-preferences')).toBe(false)
    find(p, 'open-menu').click()
    await drawn()
    expect(has(p, 'open-share')).toBe(false)
    find(p, 'open-preferences').click()
    await drawn()
    expect(has(p, 'setting-theme')).toBe(true)
    expect(has(p, 'menu-dialog')).toBe(false)
  })
})
