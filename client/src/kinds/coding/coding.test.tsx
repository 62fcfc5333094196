// Coding agents on the page: their sessions as conversations, and their states in the roster, the announcer and the
// map.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { h, render } from 'preact'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isEvent, parse } from '../../net/frames'
import type { AgentState, ConversationView, EventFrame, World } from '../../net/protocol.gen'
import { HeroCard } from '../../map/hero-card'
import { AppContext } from '../../panels/context'
import { applyViews, type Views } from '../../state/views'
import { applyWorld, emptyWorld } from '../../state/world'
import { choose, texts } from '../../testing/conversation-page'
import type { Layout } from '../../screens/viewport'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import { agentAge, agentFile, agentSource, agentsWords, agentWords } from '../../words-agents'

const journal = readFileSync(join(import.meta.dirname, '../../../../shared/testdata/sessions.jsonl'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .flatMap(parse)
  .filter(isEvent)

/** The conversation of the first session. */
const first =
  journal.flatMap((e) => (e.type === 'conversation.started' ? [e.conversation.conversationId] : []))[0] ?? ''

/** Returns the world and the views after the first n events of the journal. */
function after(n: number): { world: World; views: ConversationView[] } {
  let world = emptyWorld()
  let views: Views = {}
  for (const ev of journal.slice(0, n)) {
    world = applyWorld(world, ev)
    views = applyViews(views, ev)
  }
  return { world, views: Object.values(views) }
}

/**
 * Opens a page that has the world after the first n events. sees: whether the realm shows sessions to spectators
 * (P17.16).
 */
async function open(
  n: number,
  role: 'host' | 'spectator' = 'host',
  sees = role === 'host',
  layout: Layout = 'desk',
  change = (w: World): World => w,
): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN), undefined, layout)
  const { world, views } = after(n)
  const told = sees
    ? { world, views }
    : {
        world: {
          ...world,
          sessions: [],
          agents: world.agents.map((a) => (a.state ? { ...a, state: { ...a.state, reason: '' } } : a)),
        },
        views: [],
      }
  greet(p.net.last, info({ role }), welcomeSnapshot(n), snapshot(n, change(told.world), told.views), overlays(), {
    ...seated,
    role,
  })
  await drawn()
  return p
}

const states = (p: Page) => texts(p, 'agent-doing')
const stated = (seq: number, over: Partial<AgentState>): EventFrame => ({
  type: 'agent:state',
  seq,
  at: AT,
  agentId: 'claude:s1',
  conversationId: first,
  state: 'working',
  source: 'status',
  since: AT,
  ...over,
})

const withProcessOver = (w: World): World => {
  const { template, cast } = running(8).processState
  return { ...w, processState: { ...w.processState, conversationId: 'c1', template, cast, status: 'completed' } }
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the words of a state', () => {
  const s = (over: Partial<AgentState>): AgentState => ({ state: 'working', source: 'status', since: AT, ...over })

  it.each([
    [{ reason: 'Bash: touch x: y' }, 'runs a command: touch x: y'],
    [{ reason: 'exec_command: touch x', source: 'guess' }, 'probably runs a command: touch x'],
    [{ reason: 'Bash' }, 'runs a command'],
    [{ reason: 'mcp__dungeon__say: hello' }, 'working: mcp__dungeon__say: hello'],
    [{ reason: 'Read: a.go', path: 'src/a.go' }, 'working'],
    [{ reason: 'Read: /repo/src/a.go', path: 'src/a.go' }, 'working'],
    [{ reason: 'Read: b.go', path: 'src/a.go' }, 'reads a file: b.go'],
    [
      { state: 'waiting', wait: 'permission', reason: 'Edit: /repo/a.go', path: 'a.go' },
      'waits for you: permission to edit a file: a.go',
    ],
    [
      { state: 'waiting', wait: 'permission', reason: 'Bash: touch x' },
      'waits for you: permission to run a command: touch x',
    ],
    [
      { state: 'waiting', wait: 'permission', reason: 'mcp__dungeon__say' },
      'waits for you: permission - mcp__dungeon__say',
    ],
    [{ state: 'waiting', wait: 'question', reason: 'AskUserQuestion: Which?' }, 'waits for you: question - Which?'],
    [{ state: 'waiting', wait: 'plan', reason: 'ExitPlanMode' }, 'waits for you: plan'],
    [{ state: 'waiting', wait: 'turn' }, 'waits for you: its turn is over'],
    [{ state: 'waiting' }, 'waits for you'],
    [
      { state: 'waiting', wait: 'permission', reason: 'rm x', source: 'guess' },
      'probably waiting for you: permission - rm x',
    ],
    [{ state: 'idle' }, 'idle'],
    [{ state: 'idle', source: 'guess' }, 'probably idle'],
    [{ state: 'shell' }, 'background shell'],
    [{ state: 'lost' }, 'disconnected'],
    [{ state: 'dreaming' }, 'dreaming'],
  ])('%j: %s', (over, text) => expect(agentWords(s(over), true, '/repo')).toBe(text))

  it('do not ask a spectator', () => {
    expect(agentWords(s({ state: 'waiting', wait: 'permission' }), false)).toBe('waits for its user: permission')
    expect(agentWords(s({ state: 'waiting', wait: 'turn' }), false)).toBe('waits for its user')
  })

  it('say the file, the source and the age', () => {
    expect(agentFile(s({ path: 'a.go', edits: true, reason: 'Edit: /repo/a.go' }))).toBe('edits a.go')
    expect(agentFile(s({ path: 'a.go', reason: 'Read: a.go' }))).toBe('reads a.go')
    expect(agentFile(s({ path: 'a.go', edits: true }))).toBe('last edited a.go')
    expect(agentFile(s({ path: 'a.go', edits: true, reason: 'Bash: go test ./...' }))).toBe('last edited a.go')
    expect(agentFile(s({ path: 'a.go', reason: 'Bash: make' }))).toBe('last read a.go')
    expect(agentFile(s({ path: 'a.go', state: 'idle' }))).toBe('last read a.go')
    expect(agentFile(s({}))).toBe('')
    expect(agentSource(s({ source: 'guess' }))).toContain('A guess')
    expect(agentSource(s({ source: 'stars', since: null }))).toBe('Known from: stars.')
    const age = (ms: number) => agentAge(AT, Date.parse(AT) + ms)
    expect([age(-5000), age(59_000), age(180_000), age(7_200_000), age(3 * 86_400_000), agentAge(null, 0)]).toEqual([
      '',
      '',
      'for 3 min',
      'for 2 h',
      'for 3 d',
      '',
    ])
  })
})

describe('the agents of a realm', () => {
  it.each([
    [0, 0, ''],
    [1, 0, '1 coding agent here'],
    [3, 1, '3 coding agents here, 1 waits for you'],
    [3, 2, '3 coding agents here, 2 wait for you'],
  ])('%d, %d waiting: %s', (n, held, text) => expect(agentsWords.here(n, held)).toBe(text))

  it('are counted before a person enters it', async () => {
    const p = await open(journal.length)
    find(p, 'open-realms').click()
    await drawn()
    const n = after(journal.length).world.agents.filter((a) => a.state && a.state.state !== 'lost').length
    expect(n).toBeGreaterThan(0)
    expect(find(p, 'realm-agents').textContent).toContain(`${n} coding agent`)
  })
})

describe('a session', () => {
  it('shows its rows and says where it goes on, and offers nothing that the server refuses', async () => {
    const p = await open(8)
    await choose(p, first)
    expect(find(p, `talk-${first}`).textContent).toContain('Session, waits for you ·\u00a0Claude Code')
    expect(find(p, 'conversation').dataset['kind']).toBe('coding')
    const rows = texts(p, 'message')
    expect(rows[0]).toContain('Prompt')
    expect(rows[0]).toContain('Why does the parser fail?')
    expect(rows.find((r) => r.startsWith('Read'))).toContain('parser.go')
    expect(rows.join()).not.toContain('file_path')
    expect(find(p, 'tell-deaf').textContent).toContain('Write to it in its own terminal.')
    expect(has(p, 'session-elsewhere')).toBe(false)
    expect(has(p, 'prompt')).toBe(false) // words to this agent must not go to somebody else
    expect(find(p, 'talk-standing').textContent).toBe('waits for you: permission to read a file: parser.go')
    for (const id of ['talk-prompt', 'talk-rename', 'talk-abort', 'talk-close', 'talk-pause', 'retry', 'stop'])
      expect(has(p, id), id).toBe(false)
    expect(has(p, 'talk-erase')).toBe(true)
  })

  it('says that its last turn failed, when it has ended', async () => {
    const p = await open(8)
    await choose(p, first)
    const status = { type: 'conversation.status', seq: 9, at: AT, conversationId: first }
    p.net.last.say([{ ...status, status: 'failed' }])
    await drawn()
    expect(find(p, 'conversation').textContent).toContain('This session is over, and its last turn failed.')
    p.net.last.say([{ ...status, seq: 10, status: 'completed' }])
    await drawn()
    expect(find(p, 'conversation').textContent).not.toContain('failed')
  })

  it('shows a prompt as it was typed', async () => {
    const p = await open(8)
    await choose(p, first)
    const view = p.app.model.realm!.views[first]!
    const prompt = { ...view.messages[0]!, messageId: 'm-typed', content: 'mend f(r *http.Request, w *bytes.Buffer)' }
    p.net.last.say([{ type: 'message.added', seq: 9, at: AT, conversationId: first, message: prompt }])
    await drawn()
    expect(texts(p, 'message').join()).toContain(prompt.content)
  })

  // P17.14.
  it('has the one box for words to an agent that hears; the card of the agent leads there', async () => {
    const hears = (w: World) => ({ ...w, sessions: w.sessions?.map((s) => ({ ...s, hears: true })) ?? [] })
    const p = await open(8, 'host', true, 'desk', hears)
    const card = p.root.appendChild(document.createElement('div'))
    const on = { realm: p.app.model.realm!, id: 'claude:s1', onFollow: () => undefined, onGo: () => undefined }
    render(h(AppContext.Provider, { value: p.app, children: h(HeroCard, on) }), card)
    await drawn()
    expect(card.querySelector('input, textarea')).toBeNull()
    card.querySelector<HTMLElement>('[data-testid=talk-to]')?.click()
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe(first)
    expect(document.activeElement).toBe(find(p, 'tell').querySelector('input'))
    expect(has(p, 'prompt')).toBe(false)
    render(null, card)
  })

  // P17.14.
  it('names who said a word, also when that person has left', async () => {
    const p = await open(8)
    await choose(p, first)
    const said = { messageId: 'm-said', role: 'user', name: 'Grace', content: 'Look at the docs.', spectatorId: 'gone' }
    const message = { ...said, conversationId: first, memberId: '', status: 'done', at: AT }
    p.net.last.say({ type: 'message.added', seq: 9, at: AT, conversationId: first, message })
    await drawn()
    const row = texts(p, 'message').find((r) => r.includes('Look at the docs.'))
    expect(row).toContain('Grace')
    expect(row).not.toContain('Prompt')
  })

  // P17.14.
  it('says what became of a word when it is over', async () => {
    const p = await open(8)
    await choose(p, first)
    const told = { wordId: 'w1', agentId: 'claude:s1', conversationId: first, text: 'Look at it.', spectatorId: 'p1' }
    p.net.last.say([
      { type: 'word:queued', seq: 9, at: AT, ...told, since: AT },
      { type: 'word:state', seq: 10, at: AT, wordId: 'w1', conversationId: first, state: 'unknown' },
      { type: 'conversation.status', seq: 11, at: AT, conversationId: first, status: 'completed' },
    ])
    await drawn()
    expect(has(p, 'session-elsewhere')).toBe(false)
    expect(find(p, 'tell-word').textContent).toContain('It may not have been read')
  })

  it('stands above what is not live, and below the process', async () => {
    const p = await open(8)
    const at = '2026-02-02T00:00:00.000Z'
    const { messages: _, activeRuns: __, ...head } = after(8).views[0]!
    p.net.last.say(
      ['x1', 'x2'].map((conversationId, i) => ({
        type: 'conversation.started',
        seq: 9 + i,
        at,
        conversation: { ...head, conversationId, kind: i ? 'coding' : 'riddle', updatedAt: at },
      })),
    )
    p.net.last.say([
      { type: 'conversation.status', seq: 11, at, conversationId: 'x2', status: 'completed' },
      { type: 'conversation.status', seq: 12, at, conversationId: 'x1', status: 'completed' },
    ])
    await drawn()
    const listed = [...find(p, 'talk-list').querySelectorAll('.conversation-row')].map(
      (e) => (e as HTMLElement).dataset['testid'],
    )
    expect(listed[0]).toBe(`talk-${first}`)
    expect(listed).toHaveLength(3)
  })

  describe('that the page shows although nobody has opened it', () => {
    const at = '2026-02-02T00:00:00.000Z'
    /** The event by which another session begins. */
    const begins = (seq: number, conversationId: string): EventFrame => {
      const { messages: _, activeRuns: __, ...head } = after(8).views[0]!
      const conversation = { ...head, conversationId, status: 'active' as const, createdAt: at, updatedAt: at }
      return { type: 'conversation.started', seq, at, conversation }
    }
    const shown = (p: Page) => find(p, 'conversation').dataset['conversation']
    const ends = (seq: number): EventFrame => ({
      type: 'conversation.status',
      seq,
      at: AT,
      conversationId: first,
      status: 'completed',
    })

    it('stays when another one begins, and when it ends meanwhile', async () => {
      const p = await open(8)
      p.net.last.say([stated(9, { state: 'working' })])
      await drawn()
      expect(shown(p)).toBe(first)
      p.net.last.say([begins(10, 'x1')])
      await drawn()
      expect(find(p, 'talk-list').querySelector<HTMLElement>('.conversation-row')?.dataset['testid']).toBe('talk-x1')
      expect(shown(p)).toBe(first)
      p.net.last.say([ends(11), begins(12, 'x2')])
      await drawn()
      expect(shown(p)).toBe(first)
    })

    it('gives way to the next one if it was over, but not while somebody reads it', async () => {
      const over = async () => {
        const p = await openPage(memoryStorage(KNOWN))
        const { world, views } = after(8)
        const ended = views.map((v) => ({ ...v, status: 'completed' as const }))
        greet(p.net.last, info(), welcomeSnapshot(8), snapshot(8, world, ended), overlays(), seated)
        await drawn()
        expect(shown(p)).toBe(first)
        return p
      }
      const idle = await over()
      idle.net.last.say([begins(9, 'x1')])
      await drawn()
      expect(shown(idle)).toBe('x1')
      const read = await over()
      find(read, 'transcript').dispatchEvent(new WheelEvent('wheel', { bubbles: true }))
      read.net.last.say([begins(9, 'x1')])
      await drawn()
      expect(shown(read)).toBe(first)
    })
  })

  it('that has ended or was lost says so', async () => {
    const p = await open(8)
    await choose(p, first)
    p.net.last.say([{ type: 'conversation.status', seq: 9, at: AT, conversationId: first, status: 'interrupted' }])
    await drawn()
    expect(find(p, 'talk-standing').textContent).toContain('Claude Code stopped without ending this session')
    expect(find(p, 'session-resume').querySelector('code')?.textContent).toBe('claude --resume s1')
    expect(has(p, 'session-elsewhere')).toBe(false)
    p.net.last.say([{ type: 'conversation.status', seq: 10, at: AT, conversationId: first, status: 'completed' }])
    await drawn()
    expect(find(p, 'conversation').textContent).toContain('This session is over')
  })
})

describe('the state of an agent', () => {
  it('has the place of the row of the process on a phone; the roster offers to start one', async () => {
    const p = await open(8, 'host', true, 'phone')
    expect(has(p, 'stage-bar')).toBe(false)
    find(p, 'tab-roster').click()
    await drawn()
    find(p, 'new-process').click()
    await drawn()
    expect(has(p, 'template')).toBe(true)
    expect(has(await open(8), 'stage-bar')).toBe(true)
  })

  it('is what somebody sees who comes to watch agents, not the result of a process that is over', async () => {
    const p = await openPage(memoryStorage())
    const { world, views } = after(8)
    greet(p.net.last, info(), welcomeSnapshot(8), snapshot(8, withProcessOver(world), views), overlays(), seated)
    await drawn()
    expect(find(p, 'start-now').textContent).toBe('Your agent waits for you')
    find(p, 'start-now').click()
    await drawn()
    expect([has(p, 'game'), has(p, 'completion')]).toEqual([true, false])
  })

  it('comes before the roles of a process that is over, while the agent works', async () => {
    const p = await open(8, 'host', true, 'desk', withProcessOver)
    expect([...find(p, 'roster').querySelectorAll('h3')].map((e) => e.textContent)).toEqual(['Agents here', 'Roster'])
  })

  it('is in the roster and in the list of the map, with its source, and offers no orders', async () => {
    const p = await open(8)
    const row = find(p, 'other-claude:s1')
    expect(row.className).toContain('seat-held')
    expect(row.textContent).toContain('waits for you: permission to read a file: parser.go')
    expect(row.textContent).toContain('last read src/parser.go')
    expect(row.textContent).toMatch(/for \d+ d/)
    expect(row.querySelector('[data-testid=agent-doing]')?.getAttribute('title')).toContain('a status file')
    for (const id of ['hero-menu-claude:s1', 'hero-talk', 'hero-task', 'take-role-claude:s1', 'free-role-claude:s1'])
      expect(has(p, id), id).toBe(false)
    p.net.last.say({
      type: 'map:change',
      path: '',
      page: 0,
      pages: 1,
      room: { path: '', generation: 1, width: 5, height: 5, objects: [], doors: [], parts: [], walls: [], gone: [] },
    })
    await drawn()
    expect(find(p, 'whereabouts').textContent).toContain('waits for you: permission to read a file: parser.go')
    find(p, 'open-claude:s1').click()
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe(first)
  })

  it('of one that waits stands first and is announced once it begins', async () => {
    const p = await open(19, 'host', true, 'desk', (w) => ({
      ...w,
      sessions: w.sessions!.map(({ parent: _, ...main }) => main),
    }))
    expect(find(p, 'agents-announcer').textContent).toBe('')
    const top = () => [...p.root.querySelectorAll<HTMLElement>('.roster .seat')][0]?.dataset['testid']
    p.net.last.say([stated(20, { state: 'idle' })])
    await drawn()
    p.net.last.say([
      { ...stated(21, { state: 'waiting', wait: 'question', since: AT }), agentId: 'claude:s2' } as EventFrame,
    ])
    await drawn()
    expect(top()).toBe('other-claude:s2')
    expect(find(p, 'agents-announcer').textContent).toBe('Explore waits for you: question')
    p.net.last.say([{ ...stated(22, { since: AT }), agentId: 'claude:s2' } as EventFrame])
    await drawn()
    expect(top()).toBe('other-claude:s1')
    expect(find(p, 'agents-announcer').textContent).toBe('')
  })

  // P17.16.
  it('waits for its user, not for a spectator who sees its session', async () => {
    const p = await open(8, 'spectator', true)
    await choose(p, first)
    expect(find(p, 'talk-standing').textContent).toBe('waits for its user: permission to read a file: parser.go')
    expect(p.root.textContent).not.toContain('waits for you')
  })

  it('goes to a spectator without its reason and without a session', async () => {
    const p = await open(8, 'spectator')
    p.net.last.say([{ type: 'event:withheld', seq: 9, at: AT }])
    await drawn()
    expect(p.app.model.realm?.world.tick).toBe(9)
    expect(states(p)).toHaveLength(1)
    expect(states(p)[0]).toContain('waits for its user: permission')
    expect(p.root.textContent).toContain('last read src/parser.go')
    expect(p.root.textContent).not.toContain('read a file: parser.go')
    expect(has(p, 'open-claude:s1')).toBe(false)
    expect(has(p, `talk-${first}`)).toBe(false)
  })
})
