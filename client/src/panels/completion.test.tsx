// The screen of a completed process, and the exports that stand there and elsewhere.
import { describe, expect, it } from 'vitest'
import type { Finding, World } from '../net/protocol.gen'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const finding = (id: string, over: Partial<Finding> = {}): Finding => ({
  id,
  agentId: 'ideator',
  severity: 'low',
  title: `title of ${id}`,
  text: `text of ${id}`,
  path: 'server/a.go',
  at: AT,
  ...over,
})

async function game(
  over: Partial<World> = {},
  tab = 'findings',
  layout: 'desk' | 'phone' = 'desk',
  process = view(),
): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage(), layout)
  const map = { generation: 1, files: 4, folders: 2, bytes: 1, source: 'git' as const, scannedAt: AT }
  const w = { ...running(5), map, findings: [finding('f3')], ...over }
  greet(p.net.last, info({ role: 'host' }), welcomeSnapshot(5), snapshot(5, w, [process]), overlays(), {
    ...seated,
    role: 'host',
  })
  await drawn()
  find(p, `tab-${tab}`).click()
  await drawn()
  return p
}

const click = async (el: HTMLElement) => {
  el.click()
  await drawn()
}
const completed = (findings: Finding[], layout: 'desk' | 'phone' = 'desk') =>
  game({ ...running(5, { status: 'completed' }), findings }, 'talk', layout)
const primary = (p: Page): (string | null)[] =>
  [...find(p, 'completion').querySelectorAll('button.primary')].map((b) => b.textContent)

describe('a completed process', () => {
  it('leads first to the worst finding, and opens it', async () => {
    const p = await completed([finding('f1'), finding('f2', { severity: 'critical' }), finding('f3')])
    expect(primary(p)).toEqual(['Show the findings'])
    await click(find(p, 'to-findings'))
    expect(find(p, 'tab-findings').getAttribute('aria-selected')).toBe('true')
    expect(document.activeElement).toBe(find(p, 'finding-f2').querySelector('[data-testid=finding-open]'))
    expect(has(p, 'completion')).toBe(true) // on a desk the result stays beside the findings
  })

  it('leads to what is suspected where nothing is proved, on a phone in place of the result', async () => {
    const p = await game(
      { ...running(5, { status: 'completed' }), findings: [finding('f1', { confidence: 'low' })] },
      'talk',
      'phone',
    )
    await click(find(p, 'stage-bar').querySelector('button')!)
    expect(primary(p)).toEqual(['Show what is suspected'])
    await click(find(p, 'to-findings'))
    expect(has(p, 'completion')).toBe(false)
    expect(find(p, 'finding-f1').textContent).toContain('low severity ·\u00a0suspected')
  })

  it('counts its own findings, and has none of an earlier review', async () => {
    const earlier = finding('f1', { processId: 'c0' })
    const p = await completed([earlier])
    expect([primary(p), has(p, 'to-findings')]).toEqual([['Back to the map'], false])
    expect(find(p, 'completion').querySelector('header')?.textContent).not.toContain('finding')
    const both = await completed([earlier, finding('f2', { processId: 'c1' })])
    expect(find(both, 'completion').querySelector('header')?.textContent).toContain('1 finding')
  })

  it('says that a review found nothing', async () => {
    const coverage = { languages: [], general: [] }
    const report = { id: 'a', name: 'final_report', stageId: 'ideas', agentId: '', text: 'x', at: AT, coverage }
    const done = running(5, { status: 'completed', collectedArtifacts: { final_report: ['a'] } })
    const p = await game({ ...done, findings: [finding('f1', { processId: 'c0' })], artifacts: [report] }, 'talk')
    expect(find(p, 'completion').querySelector('header')?.textContent).toContain('0 findings')
  })

  it('does not hide the results of the processes before it', async () => {
    const made = { name: 'final_report', stageId: 'ideas', agentId: '', at: AT }
    const artifacts = [
      { ...made, id: 'a0', text: 'of an old version' },
      { ...made, id: 'a1', name: 'notes', text: 'notes of c0', processId: 'c0' },
      { ...made, id: 'a2', text: 'report of c0', processId: 'c0' },
      { ...made, id: 'a3', text: 'report of c1', processId: 'c1' },
    ]
    const done = running(5, { status: 'completed', collectedArtifacts: { final_report: ['a3'] } })
    const p = await game({ ...done, artifacts }, 'artifacts')
    const groups = [...p.root.querySelectorAll('.earlier-result')]
    expect(groups.map((g) => [...g.querySelectorAll('.markdown')].map((m) => m.textContent))).toEqual([
      ['report of c0', 'notes of c0'],
      ['of an old version'],
    ])
    expect(p.root.querySelector('.artifacts')?.textContent).toContain('open as the result')
    expect(find(p, 'completion').textContent).not.toContain('more artifact')
  })

  it('says who ended it before its end (P9.23)', async () => {
    const ended = view({ status: 'abandoned', reason: 'Ada ended it.' })
    const p = await game(running(5, { status: 'completed', early: true }), 'talk', 'desk', ended)
    const head = find(p, 'completion').querySelector('header')
    expect(head?.textContent).toMatch(/^Ended early.*Ada ended it$/)
    expect(find(p, 'stage-bar').textContent).toContain('Ended early')
    expect(find(p, 'stage-bar').textContent).not.toContain('Completed')
  })

  it('leads to its talk if it ended before it made a text', async () => {
    const p = await game(running(5, { status: 'completed', early: true, conversationId: 'c1' }))
    await click(find(p, 'completion-talk'))
    expect(p.app.conversations.chosen.value).toBe('c1')
  })

  it('leads to the next process once its result is closed', async () => {
    const p = await completed([finding('f1')])
    expect(has(p, 'start-another')).toBe(false) // the result has the button
    await click(find(p, 'keep-reading'))
    await click(find(p, 'start-another'))
    expect(p.app.dialog.value).toBe('start')
  })

  it('leads to the map without any finding', async () => {
    for (const findings of [[], [finding('f1', { withdrawn: 'Said twice.' })]]) {
      const p = await completed(findings)
      expect(primary(p)).toEqual(['Back to the map'])
      expect(has(p, 'to-findings')).toBe(false)
    }
  })

  it('has links to the files that its report names', async () => {
    const artifact = { id: 'a', name: 'final_report', stageId: 'ideas', agentId: '', text: '1. x (`a.go:3`)', at: AT }
    const done = running(5, { status: 'completed' })
    const processState = { ...done.processState, collectedArtifacts: { final_report: ['a'] } }
    const p = await game({ ...done, processState, artifacts: [artifact] })
    const link = find(p, 'completion').querySelector('[data-testid=file-link]')
    expect([link?.textContent, link?.getAttribute('href')]).toEqual(['a.go:3', '/r/r1/f/a.go#L3'])
  })
})

describe('exports', () => {
  const hrefs = (el: HTMLElement) =>
    ['markdown', 'json', 'sarif']
      .map((f) => el.querySelector(`[data-testid=export-${f}]`))
      .map((a) => [a?.getAttribute('href'), a?.hasAttribute('download')])
  const ALL = ['markdown', 'json', 'sarif'].map((f) => [`/api/realms/r1/export?format=${f}`, true])

  it('have the map where a folder is linked', async () => {
    const p = await game()
    const svg = () => p.root.querySelector('[data-testid=export-svg]')?.getAttribute('href')
    expect(p.app.model.realm?.world.realm.path ? svg() : 'no folder').toBe('/api/realms/r1/export?format=svg')
    const bare = await game({ realm: { id: 'r1', name: 'Bare', tenant: 'default' } })
    expect(bare.root.querySelector('[data-testid=export-svg]')).toBeNull()
    expect(hrefs(bare.root)).toEqual(ALL)
  })

  it('have SARIF after a review only, and each earlier process has its own', async () => {
    const made = { name: 'notes', stageId: 'ideas', agentId: '', text: 'x', at: AT }
    const coverage = { languages: [], general: [] }
    const done = running(5, { status: 'completed', collectedArtifacts: { notes: ['a3'] } })
    const artifacts = [
      { ...made, id: 'a1', processId: 'c2', coverage },
      { ...made, id: 'a3', processId: 'c1' },
    ]
    const p = await game({ ...done, artifacts, findings: [] }, 'artifacts')
    const [now, of] = [find(p, 'completion'), find(p, 'earlier-c2')]
    expect(now.querySelector('[data-testid=export-json]')?.getAttribute('href')).toContain('&conversation=c1')
    expect(now.querySelector('[data-testid=export-sarif]')).toBeNull()
    expect(of.querySelector('[data-testid=export-sarif]')?.getAttribute('href')).toBe(
      '/api/realms/r1/export?format=sarif&conversation=c2',
    )
    expect(of.querySelector('[data-testid=export-svg]')).toBeNull()
  })

  it('have no SARIF of a review whose findings a later one has taken over', async () => {
    const made = { name: 'notes', stageId: 'ideas', agentId: '', text: 'x' }
    const coverage = { languages: [], general: [] }
    const [before, after] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z']
    const artifacts = [{ ...made, id: 'a1', at: before, processId: 'c2', coverage }]
    const taken = finding('f1', { processId: 'c3', at: after })
    const p = await game({ ...running(5, { status: 'completed' }), artifacts, findings: [taken] }, 'artifacts')
    expect(find(p, 'earlier-c2').querySelector('[data-testid=export-sarif]')).toBeNull()
  })

  it('stand over the findings', async () => {
    const p = await game()
    expect(hrefs(p.root)).toEqual(ALL)
  })

  it('stand where a process is completed, and stay with its artifacts', async () => {
    const done = running(5, { status: 'completed', collectedArtifacts: { report: ['a'] } })
    const coverage = { languages: [], general: [] }
    const p = await game(
      { ...done, artifacts: [{ id: 'a', name: 'report', stageId: 'ideas', agentId: '', text: 'x', at: AT, coverage }] },
      'talk',
    )
    expect(hrefs(find(p, 'completion'))).toEqual(ALL)
    await click(find(p, 'keep-reading'))
    expect(has(p, 'completion')).toBe(false)
    await click(find(p, 'tab-artifacts'))
    expect(hrefs(p.root)).toEqual(ALL)
  })

  it.each(['toggle-map', 'tab-quests'])('stand in a result from which, on a phone, %s leads away', async (testid) => {
    const p = await game(running(5, { status: 'completed' }), 'talk', 'phone')
    await click(find(p, 'stage-bar').querySelector('button')!) // the button that shows the result
    expect(has(p, 'completion')).toBe(true)
    expect(find(p, 'toggle-map').getAttribute('aria-pressed')).toBe('false')
    await click(find(p, testid))
    expect(has(p, 'completion')).toBe(false)
    expect(find(p, 'tab-quests').getAttribute('aria-selected')).toBe(String(testid === 'tab-quests'))
  })
})
