// A message to a coding agent: it is sent once, its delivery is shown, and if the agent cannot receive messages, the
// page names the agent's terminal.
import { render } from 'preact'
import { act } from 'preact/test-utils'
import { describe, expect, it, vi } from 'vitest'
import type { Agent, AgentState, AgentWord, Session } from '../net/protocol.gen'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { AppContext } from './context'
import { Tell } from './tell'
import { ToldWords } from './tell-words'

/** What a browser keeps of a person who watches and has given no name. */
const NAMELESS = { ...KNOWN, 'agentDungeon.identity': '', 'agentDungeon.nameless': '1' }

const session = (over: Partial<Session> = {}): Session => ({
  program: 'claude',
  sessionId: 's1',
  agentId: 'claude:s1',
  conversationId: 'private-c9',
  position: '{}',
  hears: true,
  ...over,
})

const word = (id: string, over: Partial<AgentWord> = {}): AgentWord => ({
  wordId: id,
  agentId: 'claude:s1',
  conversationId: 'private-c9',
  text: `text of ${id}`,
  spectatorId: 'p1',
  since: AT,
  ...over,
})

/** The hero of a session, in a state. */
const hero = (s: Session, state: Partial<AgentState>): Agent => ({
  id: s.agentId,
  name: 'Codex',
  displayName: 'Codex',
  kind: 'agent',
  role: 'coder',
  color: '#4fb8a3',
  status: 'idle',
  x: 0,
  y: 0,
  realm: '',
  state: { state: 'idle', source: 'lock', since: AT, ...state },
})

/**
 * me: what the server says of the person; null for a person who has given no name yet. state: the state of the
 * session's hero; without it the map has no hero. others: further sessions of the realm.
 */
async function card(
  s: Session,
  me: object | null = {},
  state?: Partial<AgentState>,
  browser = memoryStorage(me ? KNOWN : NAMELESS),
  others: Session[] = [],
): Promise<Page> {
  const p = await openPage(browser)
  const world = snapshot(5, { ...running(5), sessions: [...others, s], ...(state ? { agents: [hero(s, state)] } : {}) })
  greet(p.net.last, info(), welcomeSnapshot(5), world, overlays(), ...(me ? [{ ...seated, ...me }] : []))
  await drawn()
  const place = p.root.appendChild(document.createElement('div'))
  render(
    <AppContext.Provider value={p.app}>
      <Tell realm={p.app.model.realm!} id={s.agentId} name="Claude Code" />
    </AppContext.Provider>,
    place,
  )
  await drawn()
  return p
}

describe('a word to an agent', () => {
  it('that is not sent survives a reload, and belongs to its agent', async () => {
    const browser = memoryStorage(KNOWN)
    const box = (p: Page) => find(p, 'tell').querySelector('input')!
    const typed = box(await card(session(), {}, undefined, browser))
    typed.value = 'Mend the docs of'
    typed.dispatchEvent(new Event('input', { bubbles: true }))
    await drawn()
    expect(box(await card(session(), {}, undefined, browser)).value).toBe('Mend the docs of')
    expect(box(await card(session({ agentId: 'claude:s2' }), {}, undefined, browser)).value).toBe('')
  })

  it('is said once, and shown until its record shows it', async () => {
    const p = await card(session())
    const input = document.querySelector<HTMLInputElement>('.tell input')!
    input.value = ' Look at the tests. '
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await drawn()
    document.querySelector<HTMLButtonElement>('.tell button')!.click()
    await drawn()
    const [sent] = p.net.last.ofType('agent:tell')
    expect(sent).toMatchObject({ agentId: 'claude:s1', text: 'Look at the tests.' })
    expect(input.value).toBe('')
    p.net.last.say({ type: 'word:queued', seq: 6, at: AT, requestId: sent?.requestId, ...word('w6') })
    await drawn()
    expect(find(p, 'tell-word').textContent).toContain('Queued: it gets this when it stops next')
    p.net.last.say({ type: 'word:state', seq: 7, at: AT, wordId: 'w6', conversationId: 'private-c9', state: 'handed' })
    await drawn()
    expect(find(p, 'tell-word').textContent).toContain('does not show it yet')
    p.net.last.say({
      type: 'word:state',
      seq: 8,
      at: AT,
      wordId: 'w6',
      conversationId: 'private-c9',
      state: 'delivered',
    })
    await drawn()
    expect(find(p, 'tell-word').dataset.state).toBe('delivered')
  })

  it('that was delivered leaves after a while, one that was not stays', async () => {
    const words = [word('w1', { state: 'undelivered' }), word('w2', { state: 'delivered' })]
    const p = await card(session())
    const root = document.createElement('div')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const told = <ToldWords realm={p.app.model.realm!} session={session({ words })} />
    void act(() => render(<AppContext.Provider value={p.app}>{told}</AppContext.Provider>, root))
    expect(root.querySelectorAll('li')).toHaveLength(2)
    void act(() => void vi.advanceTimersByTime(30_000))
    expect([...root.querySelectorAll('.tell-text')].map((e) => e.textContent)).toEqual(['text of w1'])
    render(null, root)
    vi.useRealTimers()
  })

  it('can be said by the owner who has no name yet; the page asks for one first', async () => {
    const p = await card(session(), null)
    const input = find(p, 'tell').querySelector('input')!
    input.value = 'Look at the tests.'
    input.dispatchEvent(new Event('input', { bubbles: true }))
    await drawn()
    find(p, 'tell').querySelector('button')!.click()
    await drawn()
    expect(p.net.last.ofType('agent:tell')).toHaveLength(0)
    expect(has(p, 'ask-name')).toBe(true)
  })

  it('has no field where the agent cannot hear, and names its terminal', async () => {
    const p = await card(session({ hears: false }))
    expect(has(p, 'tell')).toBe(false)
    expect(find(p, 'tell-deaf').textContent).toContain('cannot receive messages')
    expect(p.net.last.ofType('session:list')).toHaveLength(1)
    const terminal = 'tmux attach -t %3'
    p.net.last.say({
      type: 'session:listed',
      sessions: [{ program: 'claude', sessionId: 's1', agentId: 'claude:s1', alive: true, hears: false, terminal }],
      programs: [],
    })
    await drawn()
    expect(find(p, 'tell-deaf').querySelector('code')?.textContent).toBe(terminal)
  })

  it.each([
    ['has not called yet', session({ hears: false }), 'installed', 'none of its session has called yet'],
    ['has no hooks', session({ hears: false }), 'none', '"agentdungeon hooks install" installs them'],
    ['runs in Codex', session({ hears: false, program: 'codex' }), 'none', 'Codex calls them after its next start'],
  ])('says why an agent that %s cannot hear', async (_, s, hooks, text) => {
    const p = await card(s)
    p.net.last.say({
      type: 'session:listed',
      sessions: [],
      programs: [{ program: 'claude', sessions: 1, followed: 1, hooks }],
    })
    await drawn()
    expect(has(p, 'tell')).toBe(false)
    expect(find(p, 'tell-deaf').textContent).toContain(text)
  })

  // P17.14.
  it('says of each word what became of it when the session is over', async () => {
    const p = await card(
      session({ hears: false, words: [word('w6', { state: 'undelivered' }), word('w7', { state: 'unknown' })] }),
    )
    const [unknown, undelivered] = document.querySelectorAll('[data-testid="tell-word"]')
    expect(unknown?.textContent).toContain('It may not have been read')
    expect(undelivered?.textContent).toContain('Not delivered')
    expect(has(p, 'tell')).toBe(false)
  })

  // P17.14: a hook of Codex calls only when a turn ends.
  it.each([
    ['codex', { state: 'idle' }, 'Codex is idle: it gets this after your next prompt there.'],
    ['codex', { state: 'waiting', wait: 'turn' }, 'Codex is idle: it gets this after your next prompt there.'],
    ['codex', { state: 'working' }, 'Queued: it gets this when it stops next.'],
    ['codex', { state: 'waiting', wait: 'permission' }, 'Queued: it gets this when it stops next.'],
    ['claude', { state: 'idle' }, 'Queued: it gets this when it stops next.'],
  ])('that waits for %s in the state %j says when it gets it', async (program, state, text) => {
    const p = await card(session({ program, words: [word('w1')] }), {}, state)
    expect(find(p, 'tell-word').textContent).toBe(`text of w1${text}`)
  })

  it('is not shown below the box once it stands in the transcript, except for the newest', async () => {
    await card(
      session({
        words: [
          word('w1', { state: 'delivered' }),
          word('w2', { state: 'unknown' }),
          word('w3', { state: 'delivered' }),
          word('w4', { state: 'delivered' }),
          word('w5', { state: 'handed' }),
          word('w6'),
          word('w7'),
          word('w8'),
        ],
      }),
    )
    const shown = [...document.querySelectorAll('.tell-text')].map((e) => e.textContent)
    expect(shown).toEqual(['w8', 'w7', 'w6', 'w5', 'w4', 'w2'].map((id) => `text of ${id}`))
  })

  it.each([
    ['a sub-agent', session({ parent: 'claude:s0' }), {}],
    ['a spectator', session(), { role: 'spectator' }],
    ['a host without the token', session(), { guest: true }],
  ])('is not for %s', async (_, s, me) => {
    const p = await card(s, me)
    expect(has(p, 'tell')).toBe(false)
  })
})

// P17.18.
describe('a request to stop', () => {
  const WORKS: Partial<AgentState> = { state: 'working' }
  const button = (p: Page) => find(p, 'stop-agent') as HTMLButtonElement
  const asked = (state?: string): AgentWord => word('w9', { stop: true, text: '', ...(state ? { state } : {}) })

  it('is sent by a button while the agent works, and says what becomes of it', async () => {
    const p = await card(session(), {}, WORKS)
    button(p).click()
    await drawn()
    const [sent] = p.net.last.ofType('agent:stop')
    expect(sent).toMatchObject({ agentId: 'claude:s1' })
    expect(button(p).disabled).toBe(true)
    p.net.last.say({ type: 'word:queued', seq: 6, at: AT, requestId: sent?.requestId, ...asked() })
    await drawn()
    expect(has(p, 'stop-agent')).toBe(false)
    expect(has(p, 'tell-word')).toBe(false)
    expect(find(p, 'stop-said').textContent).toContain('it stops after the tool call that runs now')
  })

  it('that is refused says why, and can be sent again', async () => {
    const p = await card(session(), {}, WORKS)
    button(p).click()
    await drawn()
    const [sent] = p.net.last.ofType('agent:stop')
    p.net.last.say({ type: 'error', code: 'conflict', message: 'not working now', requestId: sent?.requestId })
    await drawn()
    expect(document.querySelector('[role="alert"]')?.textContent).toBe('Not stopped: not working now')
    expect(button(p).disabled).toBe(false)
  })

  it.each([
    ['came too late', 'undelivered', { state: 'waiting', wait: 'turn' }, 'Its turn was over'],
    ['is not in the record', 'unknown', { state: 'idle' }, 'does not show that it did'],
    ['stands in the transcript', 'delivered', { state: 'waiting', wait: 'turn' }, ''],
    ['belongs to an earlier turn', 'undelivered', WORKS, ''],
  ])('that %s is told so', async (_, state, hero, text) => {
    const p = await card(session({ words: [asked(state)] }), {}, hero)
    const said = find(p, 'stop-said').textContent
    if (text) expect(said).toContain(text)
    else expect(said).toBe('')
  })

  it('reaches a sub-agent through the hooks of its main agent', async () => {
    const sub = session({ agentId: 'claude:s1/agent-a', parent: 'claude:s1', hears: false })
    const p = await card(sub, {}, WORKS, undefined, [session()])
    expect(has(p, 'stop-agent')).toBe(true)
    expect(has(p, 'tell')).toBe(false)
  })

  it.each([
    ['an idle agent', session(), {}, { state: 'idle' }],
    ['an agent whose hooks are silent', session({ hears: false }), {}, WORKS],
    ['Codex, which goes on', session({ program: 'codex' }), {}, WORKS],
    ['a spectator', session(), { role: 'spectator' }, WORKS],
    ['a host without the token', session(), { guest: true }, WORKS],
  ])('is not offered for %s', async (_, s, me, state) => {
    const p = await card(s, me, state)
    expect(has(p, 'stop-agent')).toBe(false)
  })
})
