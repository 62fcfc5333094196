// The command palette and the list of keys, used by keys alone.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Finding } from '../net/protocol.gen'
import { drawn, fill, find, greet, has, KNOWN, openPage, press, type Page } from '../testing/page'
import { info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { CAST, chat, row, sent } from '../testing/conversation-page'
import { entriesOf, type Entry } from './entries'
import { changed, moved, typing, type List } from './list'
import { matches, MOST } from './match'

const finding: Finding = {
  id: 's-1',
  agentId: 'sentinel',
  severity: 'high',
  title: 'A secret stands in the settings',
  path: 'server/config.ts',
  line: 7,
  evidence: '',
  at: '2026-01-02T03:04:05.000Z',
} as unknown as Finding

const answer = (ok: boolean, body: unknown) => ({ ok, json: () => Promise.resolve(body) })

beforeEach(() => void vi.stubGlobal('fetch', () => Promise.resolve(answer(true, { files: [] }))))
afterEach(() => vi.unstubAllGlobals())

async function open(host = true): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  const w = running(50, { cast: CAST })
  const child = (path: string) => ({ name: path, path, files: 1, folders: 0, children: [] })
  const mapTree = { name: '', path: '', files: 2, folders: 2, children: [child('server'), child('docs')] }
  const role = host ? 'host' : 'spectator'
  const { templates } = info()
  greet(
    p.net.last,
    info({ role, templates: [...templates, ...templates.map((t) => ({ ...t, id: 'quiet', name: 'Quiet talk' }))] }),
    welcomeSnapshot(50),
    snapshot(50, { ...w, mapTree, map: { ...w.map, files: 2, folders: 2 }, findings: [finding] }, [
      view(),
      chat({ title: 'Lamps and oil', messages: [row('a')] }),
    ]),
    overlays(),
    { ...seated, role },
    { type: 'spectator:list', count: 1, spectators: [{ ...seated, type: undefined, role }] },
  )
  await drawn()
  return p
}

async function shown(p: Page, testid: string): Promise<void> {
  for (let i = 0; i < 50 && !has(p, testid); i++) await drawn()
  expect(has(p, testid)).toBe(true)
}

async function palette(p: Page, over: KeyboardEventInit = { ctrlKey: true }): Promise<void> {
  press(document.body, 'k', over)
  await shown(p, 'palette')
}

async function pick(p: Page, typed: string): Promise<void> {
  await palette(p)
  await fill(find(p, 'palette-text'), typed)
  press(find(p, 'palette-text'), 'Enter')
  await drawn()
}

const entryTexts = (p: Page) =>
  [...p.root.querySelectorAll('[data-testid=palette] .palette-text')].map((e) => e.textContent)
const chosen = (p: Page) => p.root.querySelector('[data-testid=palette] [aria-selected=true]')?.textContent ?? ''

describe('the palette', () => {
  it('begins a conversation of the kind that is typed, for hosts', async () => {
    const p = await open()
    await pick(p, 'forge')
    expect((find(p, 'talk-kind') as HTMLSelectElement).value).toBe('forge')
    const q = await open(false)
    await palette(q)
    await fill(find(q, 'palette-text'), 'forge')
    expect(entryTexts(q)).not.toContain('A forge: make a skill step by step')
  })

  it('starts the process whose name is typed, for hosts', async () => {
    const p = await open()
    await pick(p, 'quiet')
    expect(has(p, 'start-dialog')).toBe(true)
    expect((find(p, 'template') as HTMLSelectElement).value).toBe('quiet')
    const q = await open(false)
    await palette(q)
    await fill(find(q, 'palette-text'), 'quiet')
    expect(entryTexts(q)).not.toContain('Quiet talk')
  })

  it.each([{ ctrlKey: true }, { metaKey: true }])('opens and closes by %j and K', async (keys) => {
    const p = await open()
    await palette(p, keys)
    expect(document.activeElement).toBe(find(p, 'palette-text'))
    press(document.body, 'k', keys)
    await drawn()
    expect(has(p, 'palette')).toBe(false)
  })

  it('begins with the talks and the commands, and arrow keys choose among them', async () => {
    const p = await open()
    await palette(p)
    expect(chosen(p)).toContain('Two stages')
    press(find(p, 'palette-text'), 'ArrowDown')
    await drawn()
    expect(chosen(p)).toContain('Lamps and oil')
    press(find(p, 'palette-text'), 'ArrowUp')
    press(find(p, 'palette-text'), 'ArrowUp')
    await drawn()
    expect(chosen(p)).toContain('/help')
  })

  it('opens a talk with the cursor in its box', async () => {
    const p = await open()
    await pick(p, 'lmps')
    expect(has(p, 'palette')).toBe(false)
    expect(find(p, 'conversation').dataset['conversation']).toBe('c2')
    expect(document.activeElement).toBe(find(p, 'talk-prompt'))
  })

  it('opens a finding by words of its title, or by its file', async () => {
    const p = await open()
    await pick(p, 'secret settings')
    expect(find(p, 'finding-s-1').textContent).toContain('A secret stands')
    await pick(p, 'config.ts')
    expect(p.app.places.file.value).toMatchObject({ path: 'server/config.ts' })
  })

  it('goes to a folder, gives a command, and begins one that needs words', async () => {
    const p = await open()
    await pick(p, 'docs')
    expect(sent(p, 'player:navigate-enter')).toMatchObject([{ path: 'docs' }])
    await pick(p, '/pause')
    expect(sent(p, 'player:command')).toMatchObject([{ text: '/pause' }])
    await pick(p, '/mode')
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('/mode ')
    expect(document.activeElement).toBe(find(p, 'prompt'))
  })

  it('opens a dialog or a tab', async () => {
    const p = await open()
    await pick(p, 'Settings')
    expect(has(p, 'settings')).toBe(true)
    p.root.querySelector<HTMLElement>('[data-testid=settings] .icon-button')?.click()
    await pick(p, 'Show the quests')
    expect(has(p, 'quests')).toBe(true)
  })

  it('asks what reads like a question, and shows the talk with the answer', async () => {
    const p = await open()
    find(p, 'tab-findings').click()
    await drawn()
    await palette(p)
    await fill(find(p, 'palette-text'), 'what is risky')
    expect(entryTexts(p)[0]).toBe('Ask: What is risky here?')
    expect(entryTexts(p).at(-1)).toBe('Ask: what is risky') // the typed text is offered as a question
    press(find(p, 'palette-text'), 'Enter')
    await drawn()
    expect(sent(p, 'player:command')).toMatchObject([{ text: '/ask ideator What is risky here?' }])
    expect(find(p, 'tab-talk').getAttribute('aria-selected')).toBe('true')
    await palette(p)
    await fill(find(p, 'palette-text'), 'where do I begin to read')
    expect(entryTexts(p)[0]).toBe('Ask: Where do I begin to read?')
    await fill(find(p, 'palette-text'), 'who feeds the lamps of the hall')
    expect(entryTexts(p)).toEqual(['Ask: who feeds the lamps of the hall'])
    await fill(find(p, 'palette-text'), 'lamps oil')
    expect(entryTexts(p)).toEqual(['Lamps and oil']) // two words are a name and not a question
  })

  it('offers spectators nothing that they may not do', async () => {
    const p = await open(false)
    const kinds = entriesOf(p.app.model)
    expect(
      kinds.filter((e) => e.target.to === 'slash' || e.target.to === 'ask' || e.kind === 'agent' || e.kind === 'realm'),
    ).toEqual([])
    expect(kinds.map((e) => e.text)).not.toContain('Settings')
    expect(kinds.map((e) => e.kind)).toContain('finding')
  })

  it('shows a bounded number of the best of 20,000 entries', () => {
    const many = Array.from({ length: 20_000 }, (_, i): Entry => {
      const text = `server/part${i}/file.go`
      return { kind: 'file', id: text, text, note: '', target: { to: 'file', path: text } }
    })
    const found = matches(many, 'part12345')
    expect(found.entries[0]?.text).toBe('server/part12345/file.go')
    expect(matches(many, 'file.go')).toMatchObject({ more: true })
    expect(matches(many, 'file.go').entries).toHaveLength(MOST)
  })
})

describe('the list of the palette', () => {
  const entry = (text: string): Entry => ({
    kind: 'file',
    id: `file ${text}`,
    text,
    note: '',
    target: { to: 'file', path: text },
  })
  const texts = (list: List) => list.entries.map((e) => e.text)
  const [far, near, best] = [entry('domain.go'), entry('main.gotmpl'), entry('main.go')]

  it('puts what comes late below what is selected, in its order', () => {
    const list = typing([far], 'main.go')
    expect(changed(list, [far, near, best], -1)).toMatchObject({ entries: [far, best, near], at: 0 })
    expect(texts(typing([far, near, best], 'main.go'))[0]).toBe('main.go')
  })

  it('leaves what the pointer is at, and above it, where it is', () => {
    const list = typing([far, near], 'main.go')
    expect(texts(list)).toEqual(['main.gotmpl', 'domain.go'])
    expect(changed(list, [best, far, near], 1).entries).toEqual([near, far, best])
    expect(changed(list, [best, far, near], -1).entries).toEqual([near, best, far])
  })

  it('selects nothing in the place of an entry that is gone', () => {
    const list = moved(typing([far, near, best], 'main.go'), 'ArrowDown')!
    expect(list.entries[list.at]).toBe(near)
    const gone = changed(list, [far, best], -1)
    expect(gone).toMatchObject({ entries: [best, far], at: -1 })
    expect(moved(gone, 'ArrowDown')).toMatchObject({ at: 0 })
    expect(moved(gone, 'ArrowUp')).toMatchObject({ at: 1 })
  })

  it('selects the first of what comes into an empty list', () => {
    expect(changed(typing([], 'main'), [best], -1)).toMatchObject({ entries: [best], at: 0 })
  })

  it('is bounded', () => {
    const many = Array.from({ length: 200 }, (_, i) => entry(`main${i}.go`))
    const list = typing(many.slice(0, 60), 'main')
    expect(changed({ ...list, at: 49 }, many, -1)).toMatchObject({ more: true, at: 49 })
    expect(changed({ ...list, at: 49 }, many, -1).entries).toEqual(list.entries)
  })
})

describe('files that the server finds (P19.8)', () => {
  const asked: string[] = []
  let answers: ((files: { path: string; folder?: boolean }[]) => void)[] = []
  async function typed(text: string, ok = true): Promise<Page> {
    asked.length = 0
    answers = []
    vi.stubGlobal('fetch', (url: string) => {
      if (url.endsWith('/accepted')) return Promise.resolve(answer(true, { findings: [] }))
      asked.push(url)
      return new Promise((done) => answers.push((files) => done(answer(ok, ok ? { files } : { message: 'Not now.' }))))
    })
    const p = await open()
    await palette(p)
    await fill(find(p, 'palette-text'), text)
    await vi.waitFor(() => expect(asked).toHaveLength(1))
    return p
  }

  it('are listed, once, and open', async () => {
    const p = await typed('conf')
    expect(asked).toEqual(['/api/realms/r1/files?q=conf'])
    answers[0]!([{ path: 'server/config.ts' }, { path: 'deep/er/conf', folder: true }, { path: 'deep/er/conf/a.ts' }])
    await vi.waitFor(() => expect(entryTexts(p)).toContain('deep/er/conf/a.ts'))
    expect(entryTexts(p).filter((t) => t === 'server/config.ts')).toHaveLength(1)
    expect(find(p, 'palette').querySelector('[data-kind=folder]')?.textContent).toContain('deep/er/conf')
    while (!chosen(p).includes('a.ts')) {
      press(find(p, 'palette-text'), 'ArrowDown')
      await drawn()
    }
    press(find(p, 'palette-text'), 'Enter')
    await drawn()
    expect(p.app.places.file.value).toMatchObject({ path: 'deep/er/conf/a.ts' })
  })

  it('do not take the place of what is selected', async () => {
    const p = await typed('cnfg')
    const before = chosen(p)
    expect(before).toContain('server/config.ts')
    answers[0]!([{ path: 'cnfg' }])
    await vi.waitFor(() => expect(entryTexts(p)).toContain('cnfg'))
    expect(chosen(p)).toBe(before)
    expect(entryTexts(p)[0]).toBe('server/config.ts')
  })

  it('are said to be searched for, or not found, or why they are not there', async () => {
    const p = await typed('zzzqqq')
    expect(find(p, 'palette').textContent).toContain('Searching the files')
    answers[0]!([])
    await vi.waitFor(() => expect(find(p, 'palette').textContent).toContain('Nothing is called “zzzqqq”.'))
    press(find(p, 'palette-text'), 'Enter')
    expect(has(p, 'palette')).toBe(true)
    const q = await typed('zzzqqq', false)
    answers[0]!([])
    await vi.waitFor(() => expect(find(q, 'palette').textContent).toContain('Not now.'))
  })
})

describe('the keys', () => {
  it('are shown by a question mark, but not while somebody types', async () => {
    const p = await open()
    press(find(p, 'prompt'), '?')
    await drawn()
    expect(has(p, 'keys')).toBe(false)
    press(document.body, '?')
    await shown(p, 'keys')
    expect(find(p, 'keys').textContent).toContain('Ctrl or Cmd + K')
  })
})
