// Hostile, huge and long contents (S0-B20).
import { h, render } from 'preact'
import { describe, expect, it } from 'vitest'
import { asMarkdown } from '../panels/as-markdown'
import { cut, tail } from '../panels/cut'
import { Folding } from '../panels/folding'
import { Plain } from '../panels/plain'
import { choices } from '../panels/choices'
import { restoredText } from '../panels/restored-text'
import type { Finding, Quest, RealmRestored } from '../net/protocol.gen'
import type { RealmModel, Restored } from '../state/model'
import { drawn, fill, find, greet, has, KNOWN, openPage, press, type Page } from '../testing/page'
import {
  AT,
  info,
  message,
  overlays,
  running,
  seated,
  snapshot,
  template,
  view,
  welcomeSnapshot,
} from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const EVIL = '<img src=x onerror="window.__pwned=1"><script>window.__pwned=1</script>'

async function game(
  w = running(5),
  views = [view()],
  at: Parameters<typeof openPage>[2] = 'desk',
  more: unknown[] = [],
) {
  const p = await openPage(memoryStorage(KNOWN), memoryStorage(), at)
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w, views), overlays(), seated, ...more)
  await drawn()
  return p
}

function draw(node: Parameters<typeof render>[0]): HTMLElement {
  const root = document.createElement('div')
  render(node, root)
  return root
}

describe('whatever people and models write', () => {
  it('is text: names, words, findings, artifacts, paths, problems and errors (S0-B20)', async () => {
    const w = running(5, {
      problemStatement: EVIL,
      template: {
        ...template,
        name: EVIL,
        roles: template.roles.map((r) => ({ ...r, name: EVIL + r.id })),
        stages: template.stages.map((s) => ({ ...s, name: EVIL, goal: EVIL })),
      },
      cast: [{ roleId: 'ideator', memberId: 'ideator', kind: 'human', name: EVIL, spectatorId: 'x' }],
      waiting: { code: 'role_open', message: EVIL, roleIds: ['critic'], since: AT },
    })
    const finding: Finding = {
      id: 'f1',
      agentId: EVIL,
      severity: 'high',
      title: EVIL,
      text: EVIL,
      path: EVIL,
      at: AT,
      check: EVIL,
      evidence: EVIL,
      why: EVIL,
      advice: EVIL,
    }
    const quest: Quest = {
      id: 'q1',
      title: EVIL,
      status: 'assigned',
      priority: 'high',
      agentId: EVIL,
      path: EVIL,
      spectatorId: 'x',
      owner: EVIL,
    }
    const world = {
      ...w,
      realm: { ...w.realm, name: EVIL, path: EVIL },
      findings: [finding],
      quests: [quest],
      artifacts: [{ id: 'a', name: EVIL, stageId: EVIL, agentId: EVIL, text: EVIL, at: AT }],
      agents: [
        {
          id: 'ideator',
          name: EVIL,
          displayName: EVIL,
          kind: 'agent' as const,
          role: EVIL,
          color: 'url(javascript:1)',
          status: 'running' as const,
          activity: EVIL,
          x: 0,
          y: 0,
          realm: '',
        },
      ],
    }
    const rows = view({
      messages: [
        message('m', { content: `${EVIL}\n\`\`\`\n${EVIL}\n\`\`\`\n\`${EVIL}\` **${EVIL}**`, name: EVIL }),
        message('o', { status: 'open', content: '' }),
      ],
    })
    const people = {
      type: 'spectator:list',
      count: 1,
      spectators: [{ spectatorId: 's', name: EVIL, color: 'red;background:url(//x)', role: 'host' }],
    }
    const p = await game(world, [rows], 'desk', [
      people,
      { type: 'overlays', segments: { o: { conversationId: 'c1', requestId: 'q', text: EVIL, next: 1 } }, agents: {} },
    ])
    p.net.last.say([
      { type: 'spectator:command', seq: 6, at: AT, spectatorId: 's', name: EVIL, color: '#000000', text: EVIL },
      { type: 'process:error', seq: 7, at: AT, stageId: 's', code: 'x', message: EVIL },
      { type: 'save:status', state: 'failing', seq: 7, message: EVIL },
    ])
    const room = p.net.last.ofType('map:room')[0]
    const thing = { id: 'o', kind: EVIL, name: EVIL, path: EVIL, x: 0, y: 0 }
    p.net.last.say({
      type: 'map:change',
      requestId: room?.requestId,
      path: '',
      page: 0,
      pages: 1,
      room: { path: '', generation: 0, width: 1, height: 1, objects: [thing], doors: [{ ...thing, files: 1 }] },
    })
    await drawn()
    const inert = () => {
      expect(p.root.querySelector('img, script, iframe, object, embed')).toBeNull()
      expect((window as { __pwned?: number }).__pwned).toBeUndefined()
      for (const el of p.root.querySelectorAll('*'))
        for (const a of el.attributes) expect(a.name.startsWith('on'), `${el.tagName} ${a.name}`).toBe(false)
    }
    inert()
    expect(find(p, 'transcript').textContent).toContain(EVIL)
    expect(find(p, 'roster').textContent).toContain(EVIL)
    expect(find(p, 'map').textContent).toContain(EVIL)
    for (const tab of ['findings', 'quests', 'artifacts']) {
      find(p, `tab-${tab}`).click()
      await drawn()
      p.root.querySelector<HTMLElement>('[data-testid=finding-open]')?.click()
      await drawn()
      inert()
      expect(p.root.textContent).toContain(EVIL)
    }
    expect(p.root.innerHTML).not.toContain('url(')
  })

  it('keeps its line breaks and shows code as code, nothing else', () => {
    const el = draw(h(Plain, { text: 'a\n```go\nx := `1`\n```\nb `c` **d** *e* <b>f</b>' }))
    expect(el.querySelector('pre')?.textContent).toBe('x := `1`')
    expect(el.querySelector('code')?.textContent).toBe('c')
    expect(el.querySelector('strong')?.textContent).toBe('d')
    expect(el.textContent).toContain('*e* <b>f</b>')
    expect(el.querySelector('b')).toBeNull()
  })

  it('breaks no line after the hyphen of a flag', () => {
    const text =
      'Start it with -token, or `serve --addr=:0 -model-url URL`. A well-known 5-1 - a dash. Pass it after --.'
    const el = draw(h(Plain, { text }))
    const whole = [...el.querySelectorAll('.unbroken')].map((e) => e.textContent)
    expect(whole).toEqual(['-token', '--addr', '-model-url', '--'])
    expect(el.textContent).toBe(text.replaceAll('`', ''))
  })

  it('is folded when it is huge, and cut between characters', async () => {
    const el = draw(h(Folding, { text: '🐉'.repeat(10_000), limit: 1001 }))
    expect((el.textContent ?? '').length).toBeLessThan(1100)
    expect(el.textContent).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
    el.querySelector('button')?.click()
    await drawn()
    expect(el.textContent).toContain('🐉'.repeat(10_000))
    expect(cut('a🐉b', 2)).toBe('a…')
    expect(tail('a🐉b', 2)).toBe('…b')
  })
})

describe('many things', () => {
  it('draw no more than can be seen', async () => {
    const messages = Array.from({ length: 10_000 }, (_, i) => message(`m${i}`))
    const findings = Array.from({ length: 10_000 }, (_, i): Finding => ({
      id: `f${i}`,
      agentId: 'a',
      severity: 'low',
      title: `t${i}`,
      text: '',
      path: '',
      at: AT,
    }))
    const p = await game({ ...running(5), findings }, [view({ messages })])
    expect(find(p, 'transcript').querySelectorAll('[data-testid=message]').length).toBeLessThan(60)
    expect(find(p, 'transcript').textContent).toContain('text of m9999')
    find(p, 'tab-findings').click()
    await drawn()
    expect(p.root.querySelectorAll('[data-testid^=finding-f]').length).toBe(200)
    expect(find(p, 'findings').textContent).toContain('t199')
    find(p, 'findings-more').click()
    await drawn()
    expect(p.root.querySelectorAll('[data-testid^=finding-f]').length).toBe(400)
    expect(document.activeElement?.textContent).toBe('t200') // the first of the added findings
  })
})

describe('the keyboard', () => {
  it('moves between tabs with the arrows', async () => {
    const p = await game()
    const talk = find(p, 'tab-talk')
    talk.focus()
    press(talk, 'ArrowRight')
    await drawn()
    expect(find(p, 'tab-findings').getAttribute('aria-selected')).toBe('true')
    expect(document.activeElement).toBe(find(p, 'tab-findings'))
    press(find(p, 'tab-findings'), 'End')
    await drawn()
    expect(find(p, 'tab-artifacts').getAttribute('aria-selected')).toBe('true')
    press(find(p, 'tab-artifacts'), 'ArrowRight')
    await drawn()
    expect(find(p, 'tab-talk').getAttribute('aria-selected')).toBe('true')
    expect([...p.root.querySelectorAll('[role=tab]')].map((t) => t.getAttribute('tabindex'))).toEqual([
      '0',
      '-1',
      '-1',
      '-1',
    ])
  })

  it('opens the commands with a slash, picks with the arrows, sends with Enter, closes with Escape', async () => {
    const p = await game()
    await fill(find(p, 'prompt'), '/re')
    expect(find(p, 'menu').textContent).toMatch(/\/resume.*\/restart/)
    press(find(p, 'prompt'), 'ArrowDown')
    await drawn()
    press(find(p, 'prompt'), 'Enter')
    expect(p.net.last.ofType('player:command')).toMatchObject([{ text: '/restart' }])
    await fill(find(p, 'prompt'), '/')
    press(find(p, 'prompt'), 'Escape')
    await drawn()
    expect(has(p, 'menu')).toBe(false)
  })

  it('does not send while a word is being composed', async () => {
    const p = await game()
    await fill(find(p, 'prompt'), 'かな')
    press(find(p, 'prompt'), 'Enter', { isComposing: true })
    expect(p.net.last.ofType('player:command')).toEqual([])
  })

  it('gives every control a name', async () => {
    for (const layout of ['desk', 'tablet', 'phone'] as const) {
      const p = await game(running(5), [view({ messages: [message('m')] })], layout)
      for (const b of p.root.querySelectorAll('button, input, select, textarea')) {
        const name = b.getAttribute('aria-label') ?? b.textContent ?? ''
        expect(name.trim() !== '' || b.closest('label') !== null, b.outerHTML).toBe(true)
      }
    }
  })
})

describe('the map of a phone', () => {
  it('stays hidden over a reload until somebody wants to see it', async () => {
    const browser = memoryStorage(KNOWN)
    const visit = async (layout: 'desk' | 'phone') => {
      const p = await openPage(browser, memoryStorage(), layout)
      greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, running(5), [view()]), overlays(), seated)
      await drawn()
      return p
    }
    const hidden = (p: Page) => find(p, 'game').classList.contains('map-hidden')
    const p = await visit('phone')
    expect([hidden(p), find(p, 'toggle-map').getAttribute('aria-pressed')]).toEqual([false, 'true'])
    find(p, 'toggle-map').click()
    await drawn()
    expect(hidden(p)).toBe(true)
    const q = await visit('phone')
    expect(hidden(q)).toBe(true)
    expect(hidden(await visit('desk'))).toBe(false) // a desk always shows the map
    find(q, 'toggle-map').click()
    await drawn()
    expect(hidden(await visit('phone'))).toBe(false)
    // Choosing a conversation hides the map too, also after a reload.
    const r = await visit('phone')
    r.app.conversations.choose('x')
    r.app.conversations.shownCount.value++
    await drawn()
    expect([hidden(r), hidden(await visit('phone'))]).toEqual([true, true])
    // People watch a process on the map, so a process that is shown brings the map back.
    r.app.conversations.showProcess('r1')
    await drawn()
    expect([hidden(r), hidden(await visit('phone'))]).toEqual([false, false])
  })

  it('makes room for who is to answer, and its button says so and brings it back', async () => {
    const team = {
      id: 't',
      name: 'T',
      members: [
        {
          id: 'ada',
          name: 'Ada',
          displayName: 'Ada',
          type: 'human' as const,
          role: 'person',
          color: '#4fb8a3',
          order: 0,
        },
        {
          id: 'sage',
          name: 'Sage',
          displayName: 'Sage',
          type: 'agent' as const,
          role: 'sage',
          color: '#c0a060',
          order: 1,
        },
      ],
    }
    const idle = { ...running(5).processState, status: 'idle' as const, conversationId: '' }
    const w = running(5, idle)
    const party = {
      ...w.party,
      teamId: 't',
      conversationId: 's1',
      status: 'paused' as const,
      waitingFor: 'ada',
      newest: 'm',
    }
    const p = await game(
      { ...w, party },
      [view({ conversationId: 's1', kind: 'party', status: 'paused', team })],
      'phone',
    )
    const now = () => [
      find(p, 'game').classList.contains('map-hidden'),
      find(p, 'toggle-map').getAttribute('aria-pressed'),
    ]
    expect(now()).toEqual([true, 'false'])
    find(p, 'toggle-map').click()
    await drawn()
    expect(now()).toEqual([false, 'true'])
    find(p, 'tab-findings').click()
    await drawn()
    expect(now()).toEqual([false, 'true'])
    find(p, 'tab-talk').click()
    await drawn()
    expect(now()).toEqual([true, 'false']) // asked once more
  })

  const waiting = { code: 'role_open' as const, message: 'Nobody holds it.', roleIds: ['ideator'], since: null }

  it('keeps the map while the process waits, and says in one line for what', async () => {
    const w = running(5)
    const p = await game({ ...w, processState: { ...w.processState, waiting } }, [view()], 'phone')
    expect(find(p, 'game').classList.contains('map-hidden')).toBe(false)
    const box = find(p, 'waiting')
    expect(box.textContent).not.toContain('Nobody holds it.')
    find(p, 'waiting-more').click()
    await drawn()
    expect(box.textContent).toContain('Nobody holds it.')
  })
})

describe('the rail of a tablet', () => {
  it('has the members of a party too, who have no seat in a process', async () => {
    const agent = {
      id: 'sage',
      name: 'Sage',
      displayName: 'The Sage',
      kind: 'agent' as const,
      role: 'sage',
      color: '#c0a060',
      status: 'running' as const,
      activity: '',
      x: 0,
      y: 0,
      realm: '',
    }
    const p = await game({ ...running(5), agents: [agent] }, [view()], 'tablet')
    expect(find(p, 'rail-sage').getAttribute('aria-label')).toBe('The Sage: working')
    find(p, 'rail-sage').click()
    await drawn()
    expect(find(p, 'roster').textContent).toContain('The Sage')
  })
})

describe('new messages', () => {
  it('are read out once they are closed, and the past is not', async () => {
    const p = await game(running(5), [view({ messages: [message('m1', { content: 'old' })] })])
    const log = p.root.querySelector('[aria-live=polite][role=log]')
    expect(log?.textContent).toBe('')
    p.net.last.say({
      type: 'message.added',
      seq: 6,
      at: AT,
      conversationId: 'c1',
      message: message('m2', { content: 'new' }),
    })
    await drawn()
    expect(log?.textContent).toBe('Ideator: new')
  })
})

describe('the words of', () => {
  const restored = (over: Partial<RealmRestored>, more: Partial<Restored> = {}): string =>
    restoredText({
      event: {
        type: 'realm:restored',
        seq: 1,
        at: AT,
        source: 'checkpoint',
        restoredTo: 1,
        interruptedRuns: 0,
        missingMembers: [],
        ...over,
      },
      stageIndex: 1,
      stages: 6,
      findings: 41,
      savedAt: null,
      process: 'running',
      ...more,
    })

  it('a restore', () => {
    expect(restored({ interruptedRuns: 1 })).toBe(
      'Restored: stage 2 of 6, 41 findings, one turn was cut off and is taken again.',
    )
    expect(restored({ interruptedRuns: 3 }, { process: 'paused' })).toBe(
      'Restored: stage 2 of 6, 41 findings, 3 turns were cut off.',
    )
    expect(restored({}, { process: 'idle', findings: 0 })).toBe('Restored: everything is as it was.')
    expect(restored({ source: 'previous', transcriptsLost: true, since: AT })).toMatch(
      /this is from \d\d:\d\d\. Some of what was said before is lost/,
    )
    expect(restored({ source: 'state', transcriptsLost: true, since: AT })).not.toContain('this is from')
    expect(restored({ source: 'nothing' }, { process: 'idle', findings: 0, stages: 0 })).toContain('begins anew')
    expect(
      restored({
        missingMembers: [
          { id: 'x', name: 'x', displayName: 'The Architect', type: 'agent', role: 'r', color: '#000000', order: 0 },
        ],
      }),
    ).toContain('No longer in the cast: The Architect.')
  })

  it('the command menu', () => {
    expect(choices('hello', [])).toEqual([])
    expect(choices('/nothing', [])).toEqual([])
    expect(choices('/', []).map((c) => c.text)).toEqual([
      '/pause',
      '/resume',
      '/skip',
      '/restart',
      '/mode',
      '/summon',
      '/dismiss',
      '/ask',
      '/focus',
      '/export',
      '/quest',
      '/team',
      '/help',
    ])
    expect(choices('/mode ', []).map((c) => c.text)).toEqual(['/mode autonomous', '/mode supervised', '/mode manual'])
    expect(choices('/mode s', [])).toMatchObject([{ text: '/mode supervised', whole: true }])
    expect(choices('/ask c', ['ideator', 'critic'])).toEqual([{ text: '/ask critic', hint: '', whole: false }])
    expect(choices('/focus @c', ['ideator', 'critic']).map((c) => c.text)).toEqual(['/focus critic'])
    expect(choices('/dismiss c', ['ideator', 'critic']).map((c) => c.text)).toEqual(['/dismiss critic'])
    expect(choices('/pause now', [])).toEqual([])
  })

  it('a result as Markdown', () => {
    const w = running(5, { collectedArtifacts: { idea_list: ['a1'] } })
    const art = { id: 'a1', name: 'idea_list', stageId: 'ideas', agentId: 'ideator', text: 'One.', at: AT }
    const realm = {
      views: {},
      world: { ...w, artifacts: [{ ...art, id: 'a0', text: 'of an earlier process' }, art] },
    } as RealmModel
    expect(asMarkdown(realm)).toBe(
      '# Two stages: Realm one\n\n**Problem:** What now?\n\n## Idea list\n\n_Ideas, Ideator_\n\nOne.\n',
    )
  })
})
