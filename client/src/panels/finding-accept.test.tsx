// Accepting a finding: what the form says before, while and after the line is written, and what the finding says then.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Finding } from '../net/protocol.gen'
import { drawn, fill, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

afterEach(() => vi.unstubAllGlobals())

const FINDING: Finding = {
  id: 'f1',
  agentId: 'ideator',
  severity: 'high',
  title: 'title',
  text: 'text',
  path: 'server/a.go',
  accept: 'x/y server/a.go:title -- REASON',
  at: AT,
}

/** The finding, opened on a page of the host on the server's machine. */
async function opened(browser = memoryStorage(KNOWN), conversationId = 'c1', finding = FINDING): Promise<Page> {
  const p = await openPage(browser)
  const w = running(5)
  const realm = { ...w.realm, path: '/home/ann/repo' }
  const processState = { ...w.processState, conversationId }
  const world = { ...w, realm, processState, findings: [finding] }
  greet(
    p.net.last,
    info({ role: 'host' }),
    welcomeSnapshot(5),
    snapshot(5, world, [view({ conversationId })]),
    overlays(),
    {
      ...seated,
      role: 'host',
    },
  )
  await drawn()
  find(p, 'tab-findings').click()
  await drawn()
  find(p, 'finding-open').click()
  await drawn()
  return p
}

/** A server that answers when it is told to. Until a line is written, no finding is accepted. */
function server(): (status: number, body: object) => Promise<void> {
  let answer: (r: Response) => void = () => undefined
  vi.stubGlobal('fetch', (url: string) =>
    url.endsWith('/accepted')
      ? Promise.resolve(Response.json({ findings: [] }))
      : new Promise<Response>((done) => (answer = done)),
  )
  return async (status, body) => {
    answer(Response.json(body, { status }))
    await drawn()
  }
}

const WRITTEN = { path: '.agentdungeon-review', line: 'x/y server/a.go:title -- ours', written: true }

describe('accepting a finding', () => {
  it('says why the line cannot be written yet, and leads to the reason', async () => {
    const asked = vi.fn()
    vi.stubGlobal('fetch', asked)
    const p = await opened()
    const button = find(p, 'finding-accept-write')
    expect(button.getAttribute('aria-disabled')).toBe('true')
    expect(document.getElementById(button.getAttribute('aria-describedby')!)!.textContent).toBe('Write a reason first.')
    button.click()
    await drawn()
    expect(document.activeElement).toBe(find(p, 'finding-accept-reason'))
    expect(asked).toHaveBeenCalledExactlyOnceWith('/api/realms/r1/accepted', expect.anything())
    await fill(find(p, 'finding-accept-reason'), 'ours')
    expect(button.getAttribute('aria-disabled')).toBe('false')
    expect(button.hasAttribute('aria-describedby') || has(p, 'finding-accept-first')).toBe(false)
  })

  it('says what the line covers before it is written', async () => {
    server()
    for (const [marks, covers] of [
      ['', 'leaves the finding out, in this file only.'],
      [' [0123abcd]', 'It covers this finding alone: another finding with this title, or this one after its code'],
      [' [0123abcd 4567cdef]', 'It covers 2 places of this finding in server/a.go: another finding'],
    ] as const) {
      const p = await opened(undefined, 'c1', { ...FINDING, accept: `x/y server/a.go:title${marks} -- REASON` })
      expect(find(p, 'finding-accept').closest('form')!.textContent).toContain(covers)
    }
  })

  it('is kept apart from those that have gone, once a review has left it out', async () => {
    server()
    const p = await opened()
    const reason = 'the repository accepts it in .agentdungeon-review: the review of commit 1 leaves it out'
    p.net.last.say([{ type: 'findings:withdrawn', seq: 6, at: AT, findingId: 'f1', reason }])
    await drawn()
    expect(find(p, 'findings-withdrawn').textContent).toBe('1 accepted')
    find(p, 'findings-withdrawn').click()
    await drawn()
    expect(find(p, 'finding-f1').querySelector('del')).toBeNull()
    expect(find(p, 'finding-f1').textContent).toContain(`Accepted: ${reason}`)
    expect(find(p, 'finding-grade').textContent).toContain('accepted')
    p.net.last.say([{ type: 'findings:withdrawn', seq: 7, at: AT, findingId: 'f1', reason: 'its file has gone' }])
    await drawn()
    expect(find(p, 'findings-withdrawn').textContent).toBe('1 withdrawn')
    expect(find(p, 'finding-f1').querySelector('del')).not.toBeNull()
  })

  it('says at once that the line is being written, then marks the finding', async () => {
    const answer = server()
    const p = await opened()
    const status = () => find(p, 'finding-f1').querySelector('[role=status]')!.textContent
    await fill(find(p, 'finding-accept-reason'), 'ours')
    find(p, 'finding-accept-write').focus()
    find(p, 'finding-accept-write').click()
    await drawn()
    expect(status()).toBe('The line is being written …')
    expect(find(p, 'finding-accept-write').getAttribute('aria-disabled')).toBe('true')
    expect(has(p, 'finding-accepted-badge')).toBe(false)
    await answer(200, WRITTEN)
    expect(find(p, 'finding-accepted-badge').textContent).toBe('accepted')
    const written = 'Written to .agentdungeon-review. The next review leaves this finding out.'
    expect(status()).toBe(`${written} To take it back, delete the line there.`)
    expect(find(p, 'finding-accept').textContent).toBe(WRITTEN.line)
    expect(has(p, 'finding-accept-write') || has(p, 'finding-accept-reason')).toBe(false)
    expect(document.activeElement).toBe(find(p, 'finding-accepted'))
  })

  it('is what the file in the folder says, on every page and after every process, until the line goes', async () => {
    let findings = ['f1']
    const asked = vi.fn(() => Promise.resolve(Response.json({ findings })))
    vi.stubGlobal('fetch', asked)
    const other = await opened(memoryStorage(KNOWN), 'c2')
    expect(asked).toHaveBeenCalledExactlyOnceWith('/api/realms/r1/accepted', expect.anything())
    await drawn()
    expect(has(other, 'finding-accepted-badge')).toBe(true)
    expect(find(other, 'finding-accepted').textContent).toContain('Written to .agentdungeon-review.')
    findings = []
    const { map } = running(5)
    other.net.last.say({
      type: 'map:changed',
      realmId: 'r1',
      generation: 8,
      folders: [],
      changes: [],
      map: { ...map, generation: 8 },
    })
    await drawn()
    await drawn()
    expect(asked).toHaveBeenCalledTimes(2)
    expect(has(other, 'finding-accepted-badge')).toBe(false)
    expect(has(other, 'finding-accept-write')).toBe(true)
  })

  it('stays open with the reason if the server refuses', async () => {
    const answer = server()
    const p = await opened()
    await fill(find(p, 'finding-accept-reason'), 'ours')
    find(p, 'finding-accept-write').click()
    await answer(409, { code: 'conflict', message: 'git ignores the file' })
    expect(find(p, 'finding-f1').querySelector('[role=alert]')!.textContent).toBe(
      'The line was not written: git ignores the file.',
    )
    expect((find(p, 'finding-accept-reason') as HTMLInputElement).value).toBe('ours')
    expect(has(p, 'finding-accepted-badge')).toBe(false)
  })
})
