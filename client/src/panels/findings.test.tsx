// Findings, quests and /quest on the page.
import { describe, expect, it } from 'vitest'
import type { Artifact, Covered, Finding, Member, Quest, World } from '../net/protocol.gen'
import { drawn, fill, find, greet, has, KNOWN, openPage, press, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { choices } from './choices'

const finding = (id: string, over: Partial<Finding> = {}): Finding => ({
  id,
  agentId: 'ideator',
  severity: 'low',
  title: `title of ${id}`,
  text: `text of ${id}`,
  path: '',
  at: AT,
  ...over,
})
const quest = (id: string, over: Partial<Quest> = {}): Quest => ({
  id,
  title: `work ${id}`,
  status: 'open',
  priority: 'medium',
  ...over,
})

const FINDINGS = [
  finding('f1', {
    severity: 'high',
    path: 'server/a.go',
    line: 3,
    check: 'go.leak',
    evidence: '<b>x</b> := open()',
    why: 'It leaks.',
    advice: 'Close it.',
  }),
  finding('f2', { severity: 'critical', path: 'client/b.ts', agentId: 'critic' }),
  finding('f3', { path: 'README.md' }),
  finding('f4', { severity: 'medium', path: 'server/c.go', withdrawn: 'Said twice.', into: 'f1' }),
]

async function game(
  over: Partial<World> = {},
  tab = 'findings',
  layout: 'desk' | 'phone' = 'desk',
  role = 'host',
): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage(), layout)
  const map = { generation: 1, files: 4, folders: 2, bytes: 1, source: 'git' as const, scannedAt: AT }
  const w = { ...running(5), map, findings: FINDINGS, ...over }
  greet(p.net.last, info({ role: role as 'host' }), welcomeSnapshot(5), snapshot(5, w, [view()]), overlays(), {
    ...seated,
    role,
  })
  await drawn()
  find(p, `tab-${tab}`).click()
  await drawn()
  return p
}

const inside = (p: Page, place: string, testid: string): HTMLElement => {
  const el = find(p, place).querySelector<HTMLElement>(`[data-testid="${testid}"]`)
  if (!el) throw new Error(`there is no ${testid} in ${place}`)
  return el
}
const listed = (p: Page): string[] =>
  [...find(p, 'findings').querySelectorAll<HTMLElement>('li.finding')].map((el) => el.dataset['testid']?.slice(8) ?? '')
const click = async (el: HTMLElement) => {
  el.click()
  await drawn()
}
const pick = async (p: Page, testid: string, value: string) => {
  const el = find(p, testid) as HTMLSelectElement
  el.value = value
  el.dispatchEvent(new Event('change', { bubbles: true }))
  await drawn()
}

describe('findings', () => {
  it('are listed the worst first, counted by severity, withdrawn ones apart', async () => {
    const p = await game()
    expect(listed(p)).toEqual(['f2', 'f1', 'f3'])
    expect(find(p, 'findings-summary').textContent).toMatch(/^3 findings\s*1\s*1\s*1/)
    expect(find(p, 'tab-findings').textContent).toContain('3')
    expect(find(p, 'findings-withdrawn').textContent).toBe('1 withdrawn')
  })

  it('tell what was folded into them', async () => {
    const p = await game()
    expect(has(p, 'finding-also')).toBe(false)
    await click(inside(p, 'finding-f1', 'finding-open'))
    expect(inside(p, 'finding-f1', 'finding-also').textContent).toBe('server/c.go title of f4')
    await click(inside(p, 'finding-f2', 'finding-open'))
    expect(find(p, 'finding-f2').querySelector('[data-testid=finding-also]')).toBeNull()
  })

  it('show the way of a value, the weakness, a patch and how to accept them', async () => {
    const f = finding('f9', {
      path: 'server/a.go',
      line: 3,
      reach: 'test',
      confidence: 'high',
      check: 'x/y',
      cwe: [89],
      patch: '--- a/server/a.go\n<b>',
      accept: 'x/y server/a.go:title -- REASON',
      steps: [
        { path: 'client/in.ts', line: 7, quote: '<i>q</i> = req.query', note: 'the query of a request' },
        { path: 'server/a.go', line: 3, quote: 'db.query(q)' },
      ],
    })
    const p = await game({ findings: [f] })
    expect(find(p, 'finding-f9').textContent).toContain(
      'low severity ·\u00a0high confidence ·\u00a0in tests ·\u00a0found by Ideator',
    )
    await click(inside(p, 'finding-f9', 'finding-open'))
    expect([...inside(p, 'finding-f9', 'finding-steps').children].map((li) => li.textContent)).toEqual([
      'client/in.ts:7 the query of a request<i>q</i> = req.query',
      'server/a.go:3db.query(q)',
    ])
    expect(inside(p, 'finding-f9', 'finding-patch').textContent).toBe('--- a/server/a.go\n<b>')
    expect(inside(p, 'finding-f9', 'finding-accept').textContent).toBe('x/y server/a.go:title -- REASON')
    const link = inside(p, 'finding-f9', 'finding-cwe').querySelector('a')
    expect([link?.textContent, link?.href, link?.rel]).toEqual([
      'CWE-89',
      'https://cwe.mitre.org/data/definitions/89.html',
      'noopener noreferrer',
    ])
    await click(inside(p, 'finding-f9', 'finding-step-go'))
    expect(p.net.last.ofType('player:navigate-enter')).toMatchObject([{ path: 'client' }])
  })

  it('begin with what the review could read', async () => {
    const none = { files: 0 }
    const lang = (language: string, over: Partial<Covered>): Covered => ({
      language,
      code: true,
      parsed: none,
      matched: none,
      unread: none,
      foreign: none,
      trees: [],
      texts: [],
      ...over,
    })
    const coverage = {
      languages: [
        lang('Go', {
          parsed: { files: 2, lines: 4100 },
          unread: { files: 1 },
          trees: ['ignored error'],
          texts: ['secret'],
        }),
        lang('PHP', { matched: { files: 1, lines: 9 } }),
        lang('JSON', { code: false, matched: { files: 3, lines: 5 }, foreign: { files: 2 } }),
        lang('', { code: false, unread: { files: 4 } }),
      ],
      general: ['private key'],
      limits: ['link: 3 more.'],
    }
    const artifact = { id: 'a1', name: 'coverage', stageId: 'ideas', agentId: '', text: 'x', at: AT }
    const older = { ...coverage, languages: [] }
    for (const findings of [FINDINGS, []]) {
      const p = await game({
        findings,
        artifacts: [
          { ...artifact, coverage: older },
          { ...artifact, coverage },
        ],
      })
      expect(find(p, 'coverage-line').textContent).toBe('99 % of the lines of code read; not PHP (9 lines)')
      expect([...find(p, 'coverage-table').querySelectorAll('tr')].map((r) => r.textContent)).toEqual([
        'FilesAs syntaxAs textNot readThird-party',
        'Go24,100 lines1',
        'Checked for 2 kinds of problemsignored error, secret',
        'PHP19 lines',
        'No check covers this language, or none of its files was read. Nothing is known about this code.',
        'Other files35 lines42',
      ])
      expect(find(p, 'coverage').textContent).toContain('In all files that were read: private key')
      expect(find(p, 'coverage-limits').textContent).toBe('link: 3 more.')
    }
    expect(has(await game(), 'coverage')).toBe(false)
  })

  it('are filtered and sorted, and the choice outlives another tab', async () => {
    const p = await game()
    await pick(p, 'findings-filter-severity', 'high')
    expect(listed(p)).toEqual(['f1'])
    expect(find(p, 'findings-summary').textContent).toContain('1 of 3 findings')
    await pick(p, 'findings-filter-severity', '')
    await pick(p, 'findings-filter-hero', 'critic')
    expect(listed(p)).toEqual(['f2'])
    await pick(p, 'findings-filter-hero', '')
    await pick(p, 'findings-filter-folder', 'server')
    expect(listed(p)).toEqual(['f1'])
    await pick(p, 'findings-filter-folder', '')
    await pick(p, 'findings-sort', 'path')
    expect(listed(p)).toEqual(['f3', 'f2', 'f1'])
    await fill(find(p, 'findings-filter-text'), 'title README')
    expect(listed(p)).toEqual(['f3'])
    await click(find(p, 'tab-talk'))
    await click(find(p, 'tab-findings'))
    expect(listed(p)).toEqual(['f3'])
    expect((find(p, 'findings-filter-text') as HTMLInputElement).value).toBe('title README')
    expect((find(p, 'findings-sort') as HTMLSelectElement).value).toBe('path')
    await fill(find(p, 'findings-filter-text'), 'nothing has this')
    expect(listed(p)).toEqual([])
    await click(find(p, 'findings-all'))
    expect(listed(p)).toEqual(['f3', 'f2', 'f1'])
    expect(JSON.stringify(Object.fromEntries(Object.keys(KNOWN).map((k) => [k, p.browser.getItem(k)])))).not.toContain(
      'nothing has',
    )
  })

  it('tell all they know when they are opened', async () => {
    const p = await game()
    const open = inside(p, 'finding-f1', 'finding-open')
    expect(open.getAttribute('aria-expanded')).toBe('false')
    expect(find(p, 'finding-f1').textContent).not.toContain('It leaks.')
    await click(open)
    expect(open.getAttribute('aria-expanded')).toBe('true')
    expect(inside(p, 'finding-f1', 'finding-evidence').textContent).toBe('<b>x</b> := open()')
    expect(inside(p, 'finding-f1', 'finding-why').textContent).toBe('It leaks.')
    expect(inside(p, 'finding-f1', 'finding-advice').textContent).toBe('Close it.')
    expect(inside(p, 'finding-f1', 'finding-check').textContent).toBe('go.leak')
    expect(find(p, 'finding-f1').textContent).toContain('found by Ideator')
    expect(find(p, 'finding-f1').textContent).not.toContain('text of f1')
    await click(inside(p, 'finding-f2', 'finding-open'))
    expect(find(p, 'finding-f2').textContent).toContain('text of f2')
    await click(open)
    expect(find(p, 'finding-f1').textContent).not.toContain('It leaks.')
  })

  it('link the further places of their evidence, and the places of merged findings', async () => {
    const evidence = 'open("x, and.go:1")\nAlso at lib/Makefile:124, cmd/a b.go:7 and 3 more'
    const merged = finding('f4', { path: 'server/c.go', line: 9, withdrawn: 'Said twice.', into: 'f1' })
    const p = await game({ findings: [finding('f1', { path: 'server/a.go', line: 3, evidence }), merged] })
    await click(inside(p, 'finding-f1', 'finding-open'))
    expect(inside(p, 'finding-f1', 'finding-evidence').textContent).toBe(evidence)
    const links = [...find(p, 'finding-f1').querySelectorAll<HTMLElement>('[data-testid="file-link"]')]
    expect(links.map((a) => a.textContent)).toEqual(['lib/Makefile:124', 'cmd/a b.go:7', 'server/c.go:9'])
    await click(links[0]!)
    expect(p.app.places.file.value).toEqual({ path: 'lib/Makefile', line: 124 })
  })

  it('open their file at the line, and lead to it on the map', async () => {
    const p = await game()
    expect(inside(p, 'finding-f1', 'finding-path').textContent).toBe('server/a.go:3')
    await click(inside(p, 'finding-f1', 'finding-path'))
    expect(p.app.places.file.value).toEqual({ path: 'server/a.go', line: 3 })
    await click(inside(p, 'finding-f1', 'finding-go'))
    expect(p.app.places.file.value).toBe(null)
    expect(p.net.last.ofType('player:navigate-enter')).toMatchObject([{ path: 'server' }])
    await click(inside(p, 'finding-f3', 'finding-go'))
    expect(p.net.last.ofType('player:navigate-enter').at(-1)).toMatchObject({ path: '' })
  })

  it('lead to their room those who may not open files', async () => {
    const p = await game({}, 'findings', 'desk', 'spectator')
    expect(has(p, 'finding-go')).toBe(false)
    await click(inside(p, 'finding-f1', 'finding-path'))
    expect(p.app.places.file.value).toBe(null)
    expect(p.app.places.at.value).toMatchObject({ kind: 'folder', path: 'server' })
  })

  it('are text where the realm has no rooms', async () => {
    const p = await game({ map: { generation: 0, files: 0, folders: 0, bytes: 0, source: 'none', scannedAt: null } })
    expect(find(p, 'finding-f1').textContent).toContain('server/a.go:3')
    expect(has(p, 'finding-path')).toBe(false)
  })

  it('that were withdrawn are struck through and lead to the one that says it', async () => {
    const p = await game()
    await pick(p, 'findings-filter-folder', 'server')
    await click(find(p, 'findings-withdrawn'))
    expect(find(p, 'findings-withdrawn').getAttribute('aria-pressed')).toBe('true')
    expect(listed(p)).toEqual(['f1', 'f4'])
    expect(find(p, 'finding-f4').querySelector('del')?.textContent).toBe('title of f4')
    expect(find(p, 'finding-f4').textContent).toContain('Withdrawn: Said twice.')
    await pick(p, 'findings-filter-severity', 'medium')
    expect(listed(p)).toEqual(['f4'])
    await click(inside(p, 'finding-f4', 'finding-into'))
    expect(listed(p)).toContain('f1')
    expect(find(p, 'finding-f1').textContent).toContain('It leaks.')
    expect(document.activeElement).toBe(inside(p, 'finding-f1', 'finding-open'))
  })

  it('that are only suspected are counted apart, and say when they are proved', async () => {
    const p = await game({ findings: [...FINDINGS, finding('f6', { severity: 'critical', confidence: 'low' })] })
    expect(listed(p)).toEqual(['f2', 'f1', 'f3'])
    expect(find(p, 'findings-suspected').textContent).toBe('1 suspected')
    expect(p.root.querySelector('.findings-part')).toBeNull()
    await click(find(p, 'findings-suspected'))
    expect(p.root.querySelector('.findings-part')?.textContent).toBe('Suspected, not proved')
    expect(document.activeElement).toBe(inside(p, 'finding-f6', 'finding-open'))
    expect(listed(p)).toEqual(['f2', 'f1', 'f3', 'f6'])
    expect(inside(p, 'finding-f6', 'finding-grade').textContent).toBe('critical severity ·\u00a0suspected')
    const proved = finding('f6', { severity: 'critical', confidence: 'low', proof: 'server/a.go:3: x := open()' })
    p.net.last.say([{ type: 'findings:posted', seq: 6, at: AT, finding: proved }])
    await drawn()
    expect(listed(p)).toEqual(['f2', 'f6', 'f1', 'f3'])
    expect(inside(p, 'finding-f6', 'finding-grade').textContent).toBe('critical severity ·\u00a0proved')
    await click(inside(p, 'finding-f6', 'finding-open'))
    expect(inside(p, 'finding-f6', 'finding-proof').textContent).toContain('x := open()')
  })

  it('name the hero of an earlier process', async () => {
    const member = {
      id: 'sentinel',
      name: 'sentinel',
      displayName: 'Sentinel',
      type: 'agent',
      role: '',
      color: '',
      order: 0,
    }
    const p = await game({ findings: [finding('f1', { agentId: 'sentinel' })] })
    const earlier = view({ conversationId: 'c0', team: { id: 't0', name: 't0', members: [member as Member] } })
    p.net.last.say([
      { type: 'conversation.started', seq: 6, at: AT, conversation: { ...earlier, messages: [] } } as never,
    ])
    await drawn()
    expect(find(p, 'finding-f1').textContent).toContain('found by Sentinel')
  })

  it('that are only suspected can be judged by a host, and become quests (P7.2a)', async () => {
    const p = await game({ findings: [finding('f6', { confidence: 'low' }), finding('f7', { withdrawn: 'no' })] })
    await click(inside(p, 'finding-f6', 'finding-open'))
    const judge = inside(p, 'finding-f6', 'finding-quest')
    expect(judge.textContent).toBe('It is true: make it a quest')
    await click(judge)
    expect(p.net.last.sent.at(-1)).toMatchObject({ type: 'player:command', text: '/quest make f6' })
  })

  it('that are only suspected are listed where none stands', async () => {
    const doubted = { confidence: 'low' } as const
    const p = await game({ findings: [finding('f6', doubted), finding('f7', { ...doubted, path: 'client/a.ts' })] })
    expect(find(p, 'findings-summary').textContent).toContain('Nothing proved. 2 suspected:')
    expect(listed(p)).toHaveLength(2)
    await pick(p, 'findings-filter-folder', 'client')
    expect(find(p, 'findings-summary').textContent).toContain('1 of 2 suspected')
    await pick(p, 'findings-filter-folder', '')
    await click(find(p, 'findings-suspected'))
    expect(listed(p)).toEqual([])
    expect(find(p, 'findings').textContent).toContain('No finding is proved.')
    await click(find(p, 'findings-all'))
    expect(listed(p)).toHaveLength(2)
  })

  it('follow what happens', async () => {
    const p = await game()
    p.net.last.say([
      { type: 'findings:posted', seq: 6, at: AT, finding: finding('f5', { severity: 'critical' }) },
      { type: 'findings:withdrawn', seq: 7, at: AT, findingId: 'f2', agentId: 'critic', reason: 'No.' },
    ])
    await drawn()
    expect(listed(p)).toEqual(['f5', 'f1', 'f3'])
    expect(find(p, 'findings-withdrawn').textContent).toBe('2 withdrawn')
  })

  it('say the next step where there are none', async () => {
    expect(find(await game({ findings: [] }), 'findings').textContent).toContain('No findings yet.')
  })

  it('say in which stage they come', async () => {
    const { processState } = running(5)
    const { template } = processState
    const [first, second] = template!.stages
    const stages = [first!, { ...second!, name: 'Deep analysis', artifacts: [{ name: 'analysis_findings' }] }, first!]
    const said = async (currentStageIndex: number, status: 'running' | 'completed' = 'running') => {
      const p = { ...processState, status, currentStageIndex, template: { ...template!, stages } }
      return find(await game({ findings: [], processState: p }), 'findings').textContent
    }
    expect(await said(0)).toContain('They come in stage 2, Deep analysis. Until then the agents read.')
    expect(await said(1)).toContain('Each one appears here at once.')
    expect(await said(2)).toContain('Deep analysis has ended without one.')
    expect(await said(2, 'completed')).toContain('A code review posts them here as it reads.')
  })

  it('say that a review found nothing, once it has ended', async () => {
    const coverage = { languages: [], general: [] }
    const artifact = { id: 'a1', name: 'coverage', stageId: 'ideas', agentId: '', text: 'x', at: AT, coverage }
    const { processState } = running(5)
    const said = async (status: 'running' | 'completed') => {
      const p = await game({ findings: [], artifacts: [artifact], processState: { ...processState, status } })
      return find(p, 'findings').textContent
    }
    expect(await said('running')).toContain('No findings yet.')
    expect(await said('completed')).toContain('The review found nothing that it could prove.')
  })
})

describe('the focus', () => {
  it('is told where one speaks, while that member is no person', async () => {
    const spoken = async (kind: 'agent' | 'human', spectatorId = 'p1') => {
      const w = running(5)
      const cast = w.processState.cast.map((c) => ({ ...c, kind }))
      const p = await game({ processState: { ...w.processState, cast }, focus: [{ spectatorId, agentId: 'critic' }] })
      return (find(p, 'prompt') as HTMLTextAreaElement).placeholder
    }
    expect(await spoken('agent')).toBe('Say something to Critic, or type /focus for everyone')
    expect(await spoken('human')).toBe('Say something to all, or type /')
    expect(await spoken('agent', 'p2')).toBe('Say something to all, or type /')
  })
})

describe('quests', () => {
  const QUESTS = [
    quest('q1', { agentId: 'critic', path: 'server/a.go', line: 3, priority: 'high', findingId: 'f1' }),
    quest('q2', { status: 'assigned', spectatorId: 'p1', owner: 'Ann' }),
    quest('q3', { status: 'in_progress', spectatorId: 'p1', owner: 'Ann' }),
    quest('q4', { status: 'in_progress', spectatorId: 'p2', owner: 'Ben' }),
    quest('q5', { status: 'done', spectatorId: 'p1', owner: 'Ann' }),
  ]
  const buttons = (p: Page, id: string) =>
    [...find(p, `quest-${id}`).querySelectorAll<HTMLElement>('.quest-verbs button')].map((b) => b.dataset['testid'])

  it('say why their finding was taken back, to whom they belong', async () => {
    const p = await game({ quests: [{ ...QUESTS[1]!, note: 'its file is not there any more' }, QUESTS[0]!] }, 'quests')
    expect(inside(p, 'quest-q2', 'quest-note').textContent).toBe(
      'Its finding was withdrawn: its file is not there any more',
    )
    expect(buttons(p, 'q2')).toEqual(['quest-start', 'quest-drop'])
    expect(find(p, 'quest-q1').querySelector('[data-testid=quest-note]')).toBeNull()
  })

  it('stand in groups with what one may do', async () => {
    const p = await game({ quests: QUESTS }, 'quests')
    expect([...find(p, 'quests').querySelectorAll('h3')].map((h) => h.textContent)).toEqual([
      'Open 1',
      'Taken 1',
      'In progress 2',
      'Done 1',
    ])
    expect(['q1', 'q2', 'q3', 'q4', 'q5'].map((id) => buttons(p, id))).toEqual([
      ['quest-take'],
      ['quest-start', 'quest-drop'],
      ['quest-done', 'quest-stop'],
      [],
      [],
    ])
    const text = find(p, 'quest-q1').textContent
    for (const part of ['work q1', 'server/a.go:3', 'high priority', 'found by Critic']) expect(text).toContain(part)
    expect(find(p, 'quest-q4').textContent).toContain('Ben is working on it')
    expect(find(p, 'quest-q2').textContent).toContain('taken by you')
    expect(find(p, 'tab-quests').querySelector('.badge')?.textContent).toBe('1')
  })

  it('show the severity of their finding, and the worst of one priority comes first', async () => {
    const high = quest('q6', { priority: 'high', findingId: 'f1' })
    const p = await game({ quests: [high, { ...high, id: 'q7', findingId: 'f2' }, quest('q8')] }, 'quests')
    const rows = [...find(p, 'quests-open').querySelectorAll<HTMLElement>('.quest')]
    const said = rows.map((r) => r.querySelector('[data-testid=quest-severity]')?.textContent.trim())
    expect(said).toEqual(['critical severity', 'high severity', undefined])
  })

  it('are moved by a command that is seen on its way, once', async () => {
    const p = await game({ quests: QUESTS }, 'quests')
    const take = inside(p, 'quest-q1', 'quest-take')
    take.focus()
    await click(take)
    const [sent] = p.net.last.ofType('player:command')
    expect(sent).toMatchObject({ text: '/quest take q1' })
    expect(sent?.requestId).toBeTruthy()
    expect(inside(p, 'quest-q1', 'quest-moving').dataset['status']).toBe('sent')
    expect((inside(p, 'quest-q1', 'quest-take') as HTMLButtonElement).disabled).toBe(true)
    take.blur()
    p.net.last.say({
      type: 'quest:update',
      seq: 6,
      at: AT,
      requestId: sent?.requestId,
      quest: { ...QUESTS[0], status: 'assigned', spectatorId: 'p1', owner: 'Ann' },
    })
    await drawn()
    expect(buttons(p, 'q1')).toEqual(['quest-start', 'quest-drop'])
    expect(find(p, 'quest-q1').querySelector('[data-testid=quest-moving]')).toBeNull()
    expect(document.activeElement).toBe(inside(p, 'quest-q1', 'quest-start'))
    expect(find(p, 'tab-quests').querySelector('.badge')).toBeNull()
    for (const [id, verb] of [
      ['q2', 'drop'],
      ['q3', 'done'],
      ['q1', 'start'],
    ] as const)
      await click(inside(p, `quest-${id}`, `quest-${verb}`))
    expect(p.net.last.ofType('player:command').map((f) => f.text)).toEqual([
      '/quest take q1',
      '/quest drop q2',
      '/quest done q3',
      '/quest start q1',
    ])
  })

  it('say why a move was refused, and may be tried again', async () => {
    const p = await game({ quests: QUESTS }, 'quests')
    await click(inside(p, 'quest-q1', 'quest-take'))
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('player:command')[0]?.requestId,
      code: 'conflict',
      message: 'Ben has taken this quest',
    })
    await drawn()
    expect(inside(p, 'quest-q1', 'quest-moving').textContent).toContain('Ben has taken this quest')
    await click(inside(p, 'quest-q1', 'quest-take'))
    expect(p.net.last.ofType('player:command')).toHaveLength(2)
    expect(p.app.pending.value.filter((x) => x.frame.type === 'player:command')).toHaveLength(1)
    expect(has(p, 'refusal')).toBe(false)
  })

  it('wait visibly without a connection', async () => {
    const p = await game({ quests: QUESTS }, 'quests')
    p.net.last.end()
    await drawn()
    await click(inside(p, 'quest-q1', 'quest-take'))
    expect(inside(p, 'quest-q1', 'quest-moving').textContent).toBe('sent when the connection is back')
  })

  it('lead to their room and to their finding', async () => {
    const p = await game({ quests: QUESTS }, 'quests')
    await click(inside(p, 'quest-q1', 'quest-go'))
    expect(p.net.last.ofType('player:navigate-enter')).toMatchObject([{ path: 'server' }])
    await click(inside(p, 'quest-q1', 'quest-finding'))
    expect(find(p, 'finding-f1').textContent).toContain('It leaks.')
    expect(document.activeElement).toBe(inside(p, 'finding-f1', 'finding-open'))
  })

  it('have no buttons for who only watches', async () => {
    const p = await game({ quests: QUESTS }, 'quests', 'desk', 'spectator')
    expect(find(p, 'quests').querySelectorAll('.quest-verbs').length).toBe(0)
  })

  it('are a tab on a phone too, and say the next step where there are none', async () => {
    const p = await game({}, 'quests', 'phone')
    expect(find(p, 'quests').textContent).toContain('No quests yet.')
  })
})

describe('quests after a review without findings', () => {
  it('say so, and offer the next review', async () => {
    const report = { id: 'a', name: 'report', stageId: 'ideas', agentId: '', text: 'x', at: AT }
    const coverage = { languages: [], other: [], files: 0, bytes: 0 } as unknown as Artifact['coverage']
    const done = running(5, { status: 'completed' })
    const p = await game({ ...done, artifacts: [{ ...report, coverage: coverage! }] }, 'quests')
    expect(find(p, 'quests').textContent).toContain('The review found nothing to make quests of.')
    expect(find(p, 'quests').textContent).not.toContain('No quests yet')
    expect(find(p, 'quests').querySelector('button')).not.toBeNull()
    const found = await game(
      { ...done, artifacts: [{ ...report, coverage: coverage! }], findings: [finding('f')] },
      'quests',
    )
    expect(find(found, 'quests').textContent).toContain('The review made no quests.')
    expect(has(found, 'empty-findings')).toBe(true)
  })
})

describe('/quest in the prompt', () => {
  const QUESTS = [
    quest('q1', { title: 'Close the handle' }),
    quest('q10'),
    quest('q2', { status: 'assigned', spectatorId: 'p1' }),
    quest('q3', { status: 'assigned', spectatorId: 'p2' }),
    quest('q4', { status: 'in_progress', spectatorId: 'p1' }),
  ]
  const texts = (typed: string) => choices(typed, [], QUESTS, 'p1').map((c) => c.text)

  it('offers verbs, then the quests that fit, with their titles', () => {
    expect(texts('/quest ')).toEqual(['/quest take', '/quest start', '/quest stop', '/quest drop', '/quest done'])
    expect(texts('/quest st')).toEqual(['/quest start', '/quest stop'])
    expect(texts('/quest take ')).toEqual(['/quest take q1', '/quest take q10'])
    expect(texts('/quest start ')).toEqual(['/quest start q2'])
    expect(texts('/quest drop ')).toEqual(['/quest drop q2'])
    expect(texts('/quest done ')).toEqual(['/quest done q4'])
    expect(texts('/quest stop x')).toEqual([])
    expect(texts('/quest dance ')).toEqual([])
    expect(choices('/quest take the han', [], QUESTS, 'p1')).toEqual([
      { text: '/quest take q1', hint: 'Close the handle', whole: true },
    ])
    // A complete id selects only the quest with this id, even if other ids begin with it.
    expect(texts('/quest take q1')).toEqual([])
  })

  it('goes by keyboard from the verb to the quest', async () => {
    const p = await game({ quests: QUESTS })
    await fill(find(p, 'prompt'), '/quest ')
    press(find(p, 'prompt'), 'Enter')
    await drawn()
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('/quest take ')
    expect(find(p, 'menu').textContent).toContain('Close the handle')
    press(find(p, 'prompt'), 'ArrowDown')
    await drawn()
    press(find(p, 'prompt'), 'Enter')
    expect(p.net.last.ofType('player:command')).toMatchObject([{ text: '/quest take q10' }])
  })
})
