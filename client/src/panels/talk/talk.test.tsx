// Conversations beside the process, as a reader meets them.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ConversationView, Message } from '../../net/protocol.gen'
import { memoryStorage } from '../../testing/shelves'
import { drawn, fill, find, greet, has, KNOWN, openPage, press, type Page } from '../../testing/page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeReplay, welcomeSnapshot } from '../../testing/samples'

const CAST = [
  { roleId: 'ideator', memberId: 'ideator', kind: 'agent' as const },
  { roleId: 'critic', memberId: 'critic', kind: 'open' as const },
]
const member = (id: string, type: 'human' | 'agent', order: number) => ({ id, name: id, displayName: id === 'ideator' ? 'Ideator' : id === 'p1' ? 'Ann' : id, type, role: id, color: '#4fb8a3', order })
const TEAM = { id: 't', name: 't', members: [member('p1', 'human', 0), member('ideator', 'agent', 1)] }
const chat = (over: Partial<ConversationView> = {}): ConversationView => view({ conversationId: 'c2', kind: 'chat', title: 'Ideator', team: TEAM, ...over })
const council = (over: Partial<ConversationView> = {}): ConversationView =>
  view({ conversationId: 'k', kind: 'council', title: 'The shelf', taskPrompt: 'What should the shelf be called?', maxTurns: 4, team: { ...TEAM, members: [member('ideator', 'agent', 0), member('critic', 'agent', 1)] }, plan: { waiting: null, asked: [], turns: 1, maxTurns: 4, nextMemberId: 'critic' }, ...over })
const row = (id: string, over: Partial<Message> = {}): Message => message(id, { conversationId: 'c2', stageId: '', seq: 5, ...over })

interface Setup {
  views?: ConversationView[]
  host?: boolean
  browser?: Storage
  layout?: 'desk' | 'phone'
  process?: Parameters<typeof running>[1]
}

async function open({ views = [], host = true, browser = memoryStorage(KNOWN), layout = 'desk', process = {} }: Setup = {}): Promise<Page> {
  const p = await openPage(browser, memoryStorage(), layout)
  const role = host ? 'host' : 'spectator'
  greet(p.net.last, info({ role }), welcomeSnapshot(50), snapshot(50, running(50, { cast: CAST, ...process }), [view(), ...views]), overlays(), { ...seated, role })
  await drawn()
  return p
}

async function choose(p: Page, id: string): Promise<void> {
  find(p, `talk-${id}`).click()
  await drawn()
}

const sent = (p: Page, type: string): unknown[] => p.net.last.sent.filter((f) => f.type === type)
const texts = (p: Page, testid: string): string[] => [...p.root.querySelectorAll(`[data-testid="${testid}"]`)].map((e) => e.textContent ?? '')

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the list of conversations', () => {
  it('asks the server once, and has who last spoke first after the process (S4-B10)', async () => {
    const p = await open({ views: [chat({ updatedAt: '2026-01-02T05:00:00.000Z' }), council({ updatedAt: '2026-01-02T06:00:00.000Z', status: 'completed' })] })
    expect(sent(p, 'conversation.list')).toHaveLength(1)
    expect([...p.root.querySelectorAll('.talk-row')].map((e) => e.getAttribute('data-testid'))).toEqual(['talk-c1', 'talk-k', 'talk-c2'])
    expect(find(p, 'talk-k').textContent).toContain('Council, done')
    p.net.last.say({ type: 'conversation.listed', requestId: p.net.last.ofType('conversation.list')[0]?.requestId, conversations: [{ ...chat(), conversationId: 'old', title: 'Long ago', status: 'completed', updatedAt: '2025-01-01T00:00:00.000Z', messages: 9 }, { ...chat(), conversationId: 'older', title: 'In the same moment', status: 'completed', updatedAt: '2025-01-01T00:00:00.000Z', messages: 9 }], hasMore: true })
    await drawn()
    find(p, 'talk-all').click()
    await drawn()
    expect(find(p, 'talk-old').textContent).toContain('Long ago')
    find(p, 'talk-more').click()
    expect(sent(p, 'conversation.list')[1]).toMatchObject({ before: '2025-01-01T00:00:00.000Z', beforeId: 'older' })
  })

  it('marks what is new until it has been read, across reloads', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.seen.r1': '{"":"2026-01-02T04:00:00.000Z"}' })
    const views = [chat({ updatedAt: '2026-01-02T05:00:00.000Z', messages: [row('a')] })]
    const p = await open({ browser, views })
    expect(find(p, 'talk-c2').dataset['unread']).toBe('true')
    await choose(p, 'c2')
    expect(find(p, 'talk-c2').dataset['unread']).toBe('false')
    const again = await open({ browser, views })
    expect(find(again, 'talk-c2').dataset['unread']).toBe('false')
  })

  it('is walked with the arrow keys', async () => {
    const p = await open({ views: [chat()] })
    find(p, 'talk-c1').focus()
    press(find(p, 'talk-c1'), 'ArrowDown')
    expect(document.activeElement).toBe(find(p, 'talk-c2'))
    press(find(p, 'talk-c2'), 'Home')
    expect(document.activeElement).toBe(find(p, 'talk-c1'))
  })

  it('and the transcript are two screens on a phone', async () => {
    const p = await open({ views: [chat({ messages: [row('a')] })], layout: 'phone' })
    expect(has(p, 'talk-list')).toBe(false)
    find(p, 'talk-back').click()
    await drawn()
    expect(has(p, 'talk-list')).toBe(true)
    expect(has(p, 'transcript')).toBe(false)
    await choose(p, 'c2')
    expect(find(p, 'conversation').dataset['conversation']).toBe('c2')
    expect(has(p, 'talk-prompt')).toBe(true)
    expect(has(p, 'prompt')).toBe(false) // one place to write
  })
})

describe('the chosen conversation', () => {
  it('is kept in the browser, and a reload begins none (S4-16, S4-B11)', async () => {
    const browser = memoryStorage(KNOWN)
    const p = await open({ browser, views: [chat({ messages: [row('a')] })] })
    await choose(p, 'c2')
    expect(browser.getItem('agentDungeon.conversation.r1')).toBe('c2')
    const again = await open({ browser, views: [chat({ messages: [row('a')] })] })
    expect(find(again, 'conversation').dataset['conversation']).toBe('c2')
    expect(sent(again, 'conversation.start')).toEqual([])
    await choose(again, 'c1')
    expect(browser.getItem('agentDungeon.conversation.r1')).toBeNull() // the process, and those after it
  })

  it('that is not here is fetched, and fetching ends: with its rows (S0-19)', async () => {
    const p = await open({ browser: memoryStorage({ ...KNOWN, 'agentDungeon.conversation.r1': 'c9' }) })
    expect(find(p, 'talk-loading').dataset['state']).toBe('loading')
    expect(sent(p, 'conversation.open')).toMatchObject([{ conversationId: 'c9' }])
    p.net.last.say({ type: 'snapshot', requestId: p.net.last.ofType('conversation.open')[0]?.requestId, ...chat({ conversationId: 'c9', messages: [row('z', { conversationId: 'c9' })] }), overlays: {} })
    await drawn()
    expect(has(p, 'talk-loading')).toBe(false)
    expect(find(p, 'transcript').textContent).toContain('text of z')
  })

  it('with an error, and a way on (S0-19)', async () => {
    const p = await open({ browser: memoryStorage({ ...KNOWN, 'agentDungeon.conversation.r1': 'c9' }) })
    p.net.last.say({ type: 'error', requestId: p.net.last.ofType('conversation.open')[0]?.requestId, code: 'not_found', message: 'There is no such conversation.' })
    await drawn()
    expect(find(p, 'talk-loading').dataset['state']).toBe('failed')
    expect(find(p, 'talk-loading').textContent).toContain('There is no such conversation.')
    expect(has(p, 'refusal')).toBe(false) // said once
    find(p, 'talk-again').click()
    await drawn()
    expect(sent(p, 'conversation.open')).toHaveLength(2)
    expect(find(p, 'talk-loading').dataset['state']).toBe('loading')
  })

  it('or by saying that nobody answers (S0-19)', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.conversation.r1': 'c9' })
    vi.useFakeTimers()
    const opening = open({ browser })
    await vi.advanceTimersByTimeAsync(2_000)
    const p = await opening
    expect(find(p, 'talk-loading').dataset['state']).toBe('loading')
    await vi.advanceTimersByTimeAsync(11_000)
    expect(find(p, 'talk-loading').dataset['state']).toBe('late')
    expect(has(p, 'talk-again')).toBe(true)
  })

  it('shows an empty process and an empty chat as such', async () => {
    const p = await open({ views: [chat()] })
    await choose(p, 'c2')
    expect(find(p, 'transcript').textContent).toContain('Say something to begin.')
  })
})

describe('a transcript', () => {
  it('shows damage as damage, and nothing else as it (S3-17)', async () => {
    const said = { role: 'user' as const, memberId: '', spectatorId: 'p1', name: 'Ann' }
    const tool = row('t', { role: 'tool', status: 'done', content: 'forty-one', damaged: true, tool: { name: 'count_lines', input: '{}' } })
    const p = await open({ views: [chat({ messages: [row('a', { ...said, content: 'whole' }), row('b', { ...said, content: 'chamged', damaged: true }), row('c', { ...said, content: '', damaged: true }), tool] })] })
    await choose(p, 'c2')
    const text = (id: string) => p.root.querySelector(`[data-message-id=${id}]`)?.textContent ?? ''
    expect(text('a')).not.toContain('damaged')
    expect(text('b')).toContain('chamged')
    expect(text('b')).toContain('was damaged on the server’s disk. It may differ')
    expect(text('c')).toContain('was damaged on the server’s disk and cannot be read')
    expect(text('t')).toContain('was damaged')
  })

  it('shows a bubble that streams and tools as rows that fold (S4-18)', async () => {
    const tool = row('t', { role: 'tool', status: 'done', content: 'forty-one', tool: { name: 'count_lines', input: '{"path":"docs"}' } })
    const p = await open({ views: [chat({ messages: [row('u', { role: 'user', memberId: '', spectatorId: 'p1', name: 'Ann', content: 'How many?' }), tool] })] })
    await choose(p, 'c2')
    const run = { conversationId: 'c2', requestId: 'q', memberId: 'ideator' }
    p.net.last.say([{ type: 'chat.started', seq: 51, at: AT, ...run, status: 'running' }, { type: 'assistant.segment.started', seq: 52, at: AT, ...run, messageId: 'm', name: 'Ideator' }, { type: 'chat.delta', ...run, messageId: 'm', n: 0, text: 'I **cou' }])
    await drawn()
    const bubble = p.root.querySelector<HTMLElement>('[data-message-id=m]')
    expect([bubble?.dataset['status'], bubble?.textContent]).toEqual(['open', expect.stringContaining('I **cou')])
    p.net.last.say({ type: 'chat.delta', ...run, messageId: 'm', n: 1, text: 'nted**' })
    await drawn()
    expect(p.root.querySelector('[data-message-id=m]')).toBe(bubble)
    expect(bubble?.querySelector('strong')?.textContent).toBe('counted')
    const fold = p.root.querySelector<HTMLElement>('[data-message-id=t]')
    expect([fold?.dataset['role'], fold?.textContent]).toEqual(['tool', expect.stringContaining('count_lines')])
    expect(fold?.textContent).not.toContain('forty-one')
    find(p, 'tool-open').click()
    await drawn()
    expect(fold?.textContent).toContain('forty-one')
    find(p, 'stop').click()
    expect(sent(p, 'chat.cancel')).toEqual([{ type: 'chat.cancel', conversationId: 'c2', requestId: 'q' }])
  })

  it('says that nobody knows what a tool did, and fetches what was too long (S4-B4)', async () => {
    const tool = (id: string, over: Partial<Message>) => row(id, { role: 'tool', tool: { name: 'write_file', input: '{}' }, ...over })
    const p = await open({ views: [chat({ messages: [tool('a', { seq: 40, status: 'interrupted', content: '' }), tool('b', { seq: 41, status: 'done', content: 'some', tool: { name: 'x', input: '', cut: true } })] })] })
    await choose(p, 'c2')
    expect(p.root.querySelector('[data-message-id=a]')?.textContent).toContain('outcome unknown')
    expect(p.root.querySelector('[data-message-id=a]')?.textContent).toContain('nobody knows')
    p.root.querySelector<HTMLElement>('[data-message-id=b] button')?.click()
    await drawn()
    find(p, 'tool-whole').click()
    const ask = p.net.last.ofType('conversation.open')[0]
    expect(ask).toMatchObject({ conversationId: 'c2', before: 42, limit: 1 })
    p.net.last.say({ type: 'snapshot', requestId: ask?.requestId, ...chat({ messages: [tool('b', { seq: 41, status: 'done', content: 'all of it' })] }), overlays: {} })
    await drawn()
    expect(p.root.querySelector('[data-message-id=b]')?.textContent).toContain('all of it')
  })

  it('of a council has its replies, not what its members were told (S0-B9)', async () => {
    const told = row('o', { conversationId: 'k', role: 'user', memberId: '', name: '', content: 'You are Ideator. It is turn 1.' })
    const p = await open({ views: [council({ messages: [told, row('r', { conversationId: 'k', content: 'Call it Shelf.' })] })] })
    await choose(p, 'k')
    expect(texts(p, 'message')).toHaveLength(1)
    expect(find(p, 'transcript').textContent).not.toContain('You are Ideator')
    expect(find(p, 'talk-head').textContent).toContain('What should the shelf be called?')
    expect(find(p, 'talk-head').textContent).toContain('1 of 4 turns · next: critic')
  })

  it('has a line for each day', async () => {
    const p = await open({ views: [chat({ messages: [row('a', { at: '2026-01-01T12:00:00.000Z', seq: 1 }), row('b', { at: '2026-01-01T12:30:00.000Z', seq: 2 }), row('c', { at: '2026-01-03T12:00:00.000Z', seq: 3 })] })] })
    await choose(p, 'c2')
    expect([...p.root.querySelectorAll('.day-line')].map((e) => e.textContent)).toEqual(['Thursday, January 1, 2026', 'Saturday, January 3, 2026'])
  })

  it('copies one message, and all of them without a clipboard (S4-B10)', async () => {
    const p = await open({ views: [chat({ messages: [row('a', { content: 'one **b**' }), row('b', { content: 'two' })] })] })
    await choose(p, 'c2')
    const writeText = vi.fn(async () => {})
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    find(p, 'copy-one').click()
    await drawn()
    expect(writeText).toHaveBeenCalledWith('one **b**')
    vi.stubGlobal('navigator', {})
    let copied = ''
    Object.assign(document, { execCommand: () => ((copied = document.querySelector<HTMLTextAreaElement>('textarea[readonly]')?.value ?? ''), true) })
    find(p, 'copy-transcript').click()
    await drawn()
    expect(copied).toMatch(/Ideator \(.*\)\none \*\*b\*\*\n\nIdeator \(.*\)\ntwo/)
    Reflect.deleteProperty(document, 'execCommand')
  })

  it('shows a stage by itself, and all of them again', async () => {
    const p = await open({})
    p.net.last.say([{ type: 'message.added', seq: 51, at: AT, conversationId: 'c1', message: message('new', { stageId: 'choice', content: 'Of the choice.' }) }, { type: 'message.added', seq: 52, at: AT, conversationId: 'c1', message: message('other', { stageId: 'ideas', content: 'Of the ideas.' }) }])
    await drawn()
    const pick = find(p, 'stage-pick') as HTMLSelectElement
    pick.value = 'choice'
    pick.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    const ask = p.net.last.ofType('conversation.open')[0]
    expect(ask).toMatchObject({ conversationId: 'c1', stageId: 'choice' })
    p.net.last.say({ type: 'snapshot', requestId: ask?.requestId, ...view({ messages: [message('older', { stageId: 'choice', seq: 2, content: 'Long before.' })], hasMore: false }), overlays: {} })
    await drawn()
    expect(texts(p, 'message').map((t) => /Of the choice|Long before|Of the ideas/.exec(t)?.[0])).toEqual(['Long before', 'Of the choice'])
  })
})

describe('what is said', () => {
  it('in a chat goes there, with what was seen, and stands there until the server has it (S4-B8)', async () => {
    const mine = row('u', { role: 'user', memberId: '', spectatorId: 'p1', name: 'Ann', seq: 7 })
    const p = await open({ views: [chat({ messages: [mine] })] })
    await choose(p, 'c2')
    await fill(find(p, 'talk-prompt'), 'And then?')
    press(find(p, 'talk-prompt'), 'Enter', { shiftKey: true })
    expect(sent(p, 'chat.send')).toEqual([])
    press(find(p, 'talk-prompt'), 'Enter')
    await drawn()
    const frame = p.net.last.ofType('chat.send')[0]
    expect(frame).toMatchObject({ conversationId: 'c2', content: 'And then?', seenSeq: 7 })
    expect(find(p, 'pending').textContent).toContain('And then?')
    // A second one at once does not take the first for somebody else's.
    await fill(find(p, 'talk-prompt'), 'Quickly.')
    press(find(p, 'talk-prompt'), 'Enter')
    expect(p.net.last.ofType('chat.send')[1]).not.toHaveProperty('seenSeq')
    // The snapshot knows the first, not the second: that one stays and goes again.
    p.net.last.end()
    await new Promise((done) => setTimeout(done, 500))
    greet(p.net.last, info(), seated, welcomeSnapshot(60), snapshot(60, running(60, { cast: CAST }), [view(), chat({ messages: [mine, row('w', { role: 'user', memberId: '', name: 'Ann', requestId: frame?.requestId ?? '', content: 'And then?' })] })]), overlays())
    await drawn()
    expect(texts(p, 'pending')).toEqual([expect.stringContaining('Quickly.')])
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ content: 'Quickly.' }])
  })

  it('after somebody else spoke is told once, whoever it was (S1-12)', async () => {
    const p = await open({ views: [chat({ messages: [row('a')] })] })
    await choose(p, 'c2')
    p.net.last.say({ type: 'conversation.overtaken', conversationId: 'c2', requestId: 'x', name: 'Ben', lastSeq: 9 })
    await drawn()
    expect(find(p, 'overtaken').textContent).toContain('Ben spoke here before your message arrived')
    find(p, 'overtaken').querySelector('button')?.click()
    await drawn()
    expect(has(p, 'overtaken')).toBe(false)
    p.net.last.say({ type: 'conversation.overtaken', conversationId: 'c2', requestId: 'x', name: 'Ann', own: true, lastSeq: 9 })
    await drawn()
    expect(find(p, 'overtaken').textContent).toContain('Another window of yours')
  })

  it('and refused is said there, and goes back to where it was written', async () => {
    const p = await open({ views: [chat({ messages: [row('a')] })] })
    await choose(p, 'c2')
    await fill(find(p, 'talk-prompt'), 'Hello')
    find(p, 'talk-send').click()
    p.net.last.say({ type: 'error', requestId: p.net.last.ofType('chat.send')[0]?.requestId, code: 'conflict', message: 'this conversation has ended' })
    await drawn()
    expect(find(p, 'conversation').querySelector('[data-testid=refusal]')?.textContent).toContain('this conversation has ended')
    expect(p.root.querySelectorAll('[data-testid=refusal]')).toHaveLength(1)
    find(p, 'refusal').querySelector<HTMLElement>('button.small')?.click()
    await drawn()
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('Hello')
  })

  it('while a council asks this person is their turn', async () => {
    const asked = council({ team: { ...TEAM, members: [member('ideator', 'agent', 0), member('p1', 'human', 1)] }, messages: [row('r', { conversationId: 'k' })] })
    const p = await open({ views: [asked] })
    await choose(p, 'k')
    p.net.last.say({ type: 'chat.started', seq: 51, at: AT, conversationId: 'k', requestId: 'q', memberId: 'p1', status: 'running', turn: { stageId: 'rounds', roleId: 'p1', attempt: 1, n: 2 } })
    await drawn()
    expect(find(p, 'conversation').textContent).toContain('It is your turn in this council.')
    expect(find(p, 'talk-k').textContent).toContain('your turn')
    find(p, 'talk-pass').click()
    expect(sent(p, 'chat.cancel')).toEqual([{ type: 'chat.cancel', conversationId: 'k', requestId: 'q' }])
  })
})

describe('a conversation', () => {
  it('that was left in silence is shown as such, and a message takes it up again (S1-16)', async () => {
    const p = await open({ views: [chat({ status: 'abandoned', messages: [row('a')] })] })
    await choose(p, 'c2')
    expect(find(p, 'talk-c2').textContent).toContain('Chat, left')
    expect(find(p, 'conversation').textContent).toContain('A message takes it up again.')
    await fill(find(p, 'talk-prompt'), 'Still there?')
    find(p, 'talk-send').click()
    expect(sent(p, 'chat.send')).toMatchObject([{ conversationId: 'c2', content: 'Still there?' }])
  })

  it('is paused, resumed, ended and renamed in its head', async () => {
    const p = await open({ views: [council({ messages: [row('r', { conversationId: 'k' })] })] })
    await choose(p, 'k')
    find(p, 'talk-pause').click()
    expect(sent(p, 'conversation.pause')).toMatchObject([{ conversationId: 'k' }])
    p.net.last.say({ type: 'conversation.status', seq: 51, at: AT, requestId: p.net.last.ofType('conversation.pause')[0]?.requestId, conversationId: 'k', status: 'paused', reason: 'Ann paused it.' })
    await drawn()
    expect(find(p, 'talk-standing').textContent).toContain('Ann paused it.')
    find(p, 'talk-resume').click()
    expect(sent(p, 'conversation.resume')).toMatchObject([{ conversationId: 'k' }])
    find(p, 'talk-rename').click()
    await drawn()
    await fill(find(p, 'talk-title'), 'Another shelf')
    find(p, 'talk-title-save').click()
    expect(sent(p, 'conversation.rename')).toMatchObject([{ conversationId: 'k', title: 'Another shelf' }])
    await drawn()
    find(p, 'talk-abort').click()
    await drawn()
    find(p, 'confirm-yes').click()
    expect(sent(p, 'conversation.abort')).toMatchObject([{ conversationId: 'k' }])
    p.net.last.say({ type: 'conversation.status', seq: 52, at: AT, conversationId: 'k', status: 'abandoned' })
    await drawn()
    expect(has(p, 'talk-prompt')).toBe(false)
    expect(find(p, 'conversation').textContent).toContain('stays here to read')
  })

  it('that is queued says which limit holds it', async () => {
    const p = await open({ views: [council({ status: 'queued' })] })
    await choose(p, 'k')
    expect(find(p, 'talk-standing').textContent).toContain('Queued: 3 councils and tasks run at once.')
  })

  it('whose last answer came to nothing is answered again', async () => {
    const lastRun = { conversationId: 'c2', requestId: 'q', memberId: 'ideator', status: 'interrupted' as const, startedAt: AT, lastActivityAt: AT, startSeq: 9 }
    const p = await open({ views: [chat({ messages: [row('a')], lastRun })] })
    await choose(p, 'c2')
    expect(find(p, 'retry').textContent).toContain('cut off when the server stopped')
    find(p, 'retry-now-answer').click()
    expect(sent(p, 'conversation.resume')).toMatchObject([{ conversationId: 'c2' }])
  })

  it('shows spectators what is said, and nothing to press', async () => {
    const p = await open({ host: false, views: [council({ messages: [row('r', { conversationId: 'k' })] })] })
    await choose(p, 'k')
    expect(texts(p, 'message')).toHaveLength(1)
    for (const id of ['talk-pause', 'talk-abort', 'talk-rename', 'talk-prompt', 'talk-new', 'hero-menu-ideator']) expect(has(p, id), id).toBe(false)
  })
})

describe('an agent', () => {
  it('is talked to from the roster, in the chat that goes on (S0-B21)', async () => {
    const p = await open({ views: [chat({ messages: [row('a')] })] })
    expect(has(p, 'hero-menu-critic')).toBe(false) // nothing plays it
    find(p, 'hero-menu-ideator').click()
    await drawn()
    find(p, 'hero-talk').click()
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe('c2')
    expect(sent(p, 'conversation.start')).toEqual([])
  })

  it('is talked to in a new chat, which comes forth when it is there', async () => {
    const p = await open()
    find(p, 'tab-findings').click()
    await drawn()
    find(p, 'hero-menu-ideator').click()
    await drawn()
    find(p, 'hero-talk').click()
    find(p, 'hero-menu-ideator').click()
    await drawn()
    p.root.querySelector<HTMLElement>('[data-testid=hero-talk]')?.click()
    const frames = p.net.last.ofType('conversation.start')
    expect(frames).toMatchObject([{ kind: 'chat', memberIds: ['ideator'] }]) // once, however often it is pressed
    p.net.last.say({ type: 'conversation.started', seq: 51, at: AT, requestId: frames[0]?.requestId, conversation: { ...chat(), conversationId: 'new' } })
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe('new')
  })

  it('leaves the prompt of the page to spectators on a phone, who have no other place to write', async () => {
    const views = [chat({ messages: [row('a')] })]
    const places = async (host: boolean) => {
      const p = await open({ views, host, layout: 'phone' })
      p.app.talks.choose('c2')
      await drawn()
      return [find(p, 'conversation').dataset['conversation'], has(p, 'talk-prompt'), has(p, 'prompt')]
    }
    expect(await places(true)).toEqual(['c2', true, false])
    expect(await places(false)).toEqual(['c2', false, true])
  })

  it('is waited for where the connection is lost, and a refusal is said where the reader is', async () => {
    const p = await open({ layout: 'phone' })
    p.net.last.end()
    p.app.talks.talkTo('ideator')
    await drawn()
    expect(find(p, 'talk-starting').textContent).toContain('waits for the connection')
    await new Promise((done) => setTimeout(done, 500))
    greet(p.net.last, info(), seated, welcomeReplay(51, 50), overlays())
    await drawn()
    p.net.last.say({ type: 'error', requestId: p.net.last.ofType('conversation.start')[0]?.requestId, code: 'conflict', message: 'nothing plays Ideator' })
    await drawn()
    expect(has(p, 'talk-starting')).toBe(false)
    expect(find(p, 'talk').textContent).toContain('nothing plays Ideator')
    expect(p.root.querySelectorAll('[data-testid=refusal]')).toHaveLength(1)
  })

  it('gets a task, and the dialog says what the server does not take (S0-B21)', async () => {
    const p = await open()
    find(p, 'hero-menu-ideator').click()
    await drawn()
    find(p, 'hero-task').click()
    await drawn()
    find(p, 'talk-start-go').click()
    await drawn()
    expect(find(p, 'talk-start').textContent).toContain('Say what it is about.')
    await fill(find(p, 'talk-task'), 'Name the shelf.')
    find(p, 'talk-start-go').click()
    await drawn()
    const frame = p.net.last.ofType('conversation.start')[0]
    expect(frame).toMatchObject({ kind: 'council', memberIds: ['ideator'], taskPrompt: 'Name the shelf.', maxTurns: 1 })
    p.net.last.say({ type: 'error', requestId: frame?.requestId, code: 'conflict', message: 'nothing plays Ideator' })
    await drawn()
    expect(find(p, 'talk-start').textContent).toContain('nothing plays Ideator')
    find(p, 'talk-start-go').click()
    await drawn()
    const again = p.net.last.ofType('conversation.start')[1]
    p.net.last.say({ type: 'conversation.started', seq: 51, at: AT, requestId: again?.requestId, conversation: council() })
    await drawn()
    expect(has(p, 'talk-start')).toBe(false)
    expect(find(p, 'conversation').dataset['conversation']).toBe('k')
  })

  it('and a person make a council of two', async () => {
    const p = await open()
    find(p, 'talk-new').click()
    await drawn()
    find(p, 'talk-member-ideator').click()
    find(p, 'talk-member-self').click()
    await drawn()
    await fill(find(p, 'talk-task'), 'Name it.')
    await fill(find(p, 'talk-turns'), '8')
    find(p, 'talk-start-go').click()
    expect(sent(p, 'conversation.start')).toMatchObject([{ kind: 'council', memberIds: ['ideator', 'p1'], maxTurns: 8 }])
  })

  it('talks about a stage that is over, from its artifact', async () => {
    const artifact = { id: 'a1', name: 'list', stageId: 'ideas', agentId: 'ideator', text: 'x', at: AT }
    const p = await openPage(memoryStorage(KNOWN))
    const w = running(50, { cast: CAST, currentStageIndex: 1, collectedArtifacts: { list: ['a1'] } })
    greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, { ...w, artifacts: [artifact] }, [view()]), overlays(), seated)
    await drawn()
    find(p, 'tab-artifacts').click()
    await drawn()
    find(p, 'talk-about').click()
    expect(sent(p, 'conversation.start')).toMatchObject([{ kind: 'chat', memberIds: ['ideator'], stageId: 'ideas' }])
  })
})

describe('the list', () => {
  it('is whole where it stands beside the transcript', async () => {
    const many = Array.from({ length: 6 }, (_, i) => chat({ conversationId: `k${i}`, messages: [row(`m${i}`)] }))
    const narrow = await open({ views: many })
    expect([narrow.root.querySelectorAll('.talk-row').length, has(narrow, 'talk-all')]).toEqual([3, true])
    vi.stubGlobal('ResizeObserver', class {
      constructor(readonly told: () => void) {}
      observe(el: HTMLElement) {
        Object.defineProperty(el, 'clientWidth', { configurable: true, value: 700 })
        this.told()
      }
      disconnect() {}
    })
    const wide = await open({ views: many })
    await drawn()
    vi.unstubAllGlobals()
    expect([wide.root.querySelectorAll('.talk-row').length >= 6, has(wide, 'talk-all')]).toEqual([true, false])
  })
})

describe('the search', () => {
  const hit = { seq: 7, messageId: 'far', conversationId: 'c2', kind: 'chat', title: 'Ideator', role: 'assistant', name: 'Ideator', at: AT, parts: [{ text: 'the ' }, { text: 'drill', hit: true }, { text: ' <b>' }] }
  const answer = (body: unknown, ok = true) => vi.fn(async (_: string) => ({ ok, json: async () => body }) as Response)
  const typed = async (p: Page, text: string) => {
    await fill(find(p, 'talk-search'), text)
    await new Promise((done) => setTimeout(done, 300))
    await drawn()
  }

  it('finds rows, and a hit leads to its row', async () => {
    const fetch = answer({ hits: [hit] })
    vi.stubGlobal('fetch', fetch)
    const p = await open({ views: [chat({ messages: [row('near', { seq: 400 })], hasMore: true })] })
    await typed(p, 'drill s')
    expect(fetch.mock.calls[0]?.[0]).toBe('/api/search?realm=r1&q=drill+s&limit=50')
    expect(find(p, 'talk-hit').querySelector('mark')?.textContent).toBe('drill')
    expect(find(p, 'talk-hit').textContent).toContain('<b>')
    find(p, 'talk-hit').click()
    await drawn()
    const ask = p.net.last.ofType('conversation.open')[0]
    expect(ask).toMatchObject({ conversationId: 'c2', before: 107, limit: 200 })
    p.net.last.say({ type: 'snapshot', requestId: ask?.requestId, ...chat({ messages: [row('far', { seq: 7 }), row('after', { seq: 8 })], hasMore: true }), overlays: {} })
    await drawn()
    expect(texts(p, 'message').join()).toContain('text of far')
    expect(p.root.querySelector('.led')?.textContent).toContain('text of far')
    find(p, 'talk-newest').click()
    await drawn()
    expect(texts(p, 'message').join()).toContain('text of near')
  })

  it('says when nothing was found, and when it failed', async () => {
    vi.stubGlobal('fetch', answer({ hits: [] }))
    const p = await open()
    await typed(p, 'nothing')
    expect(find(p, 'talk-hits').textContent).toContain('Nothing was found.')
    vi.stubGlobal('fetch', answer({ code: 'rate_limited', message: 'Too much at once.' }, false))
    await typed(p, 'more')
    expect(find(p, 'talk-hits').textContent).toContain('Too much at once.')
    press(find(p, 'talk-search'), 'Escape')
    await drawn()
    expect(has(p, 'talk-hits')).toBe(false)
  })
})

describe('a restore', () => {
  it('is one quiet line with how much there is and when it was saved (S1-22)', async () => {
    const p = await open({ views: [chat({ messages: [row('a'), row('b', { seq: 6 })] })] })
    p.net.last.end()
    await new Promise((done) => setTimeout(done, 500))
    greet(p.net.last, info({ epoch: 'e2' }), seated, welcomeReplay(51, 51, 'e2'), { type: 'realm:restored', seq: 51, at: AT, source: 'checkpoint', restoredTo: 50, interruptedRuns: 1, missingMembers: [] }, overlays())
    await drawn()
    expect(find(p, 'restored').textContent).toMatch(/2 messages.*one turn was cut off.*saved at \d\d:\d\d/)
  })
})
