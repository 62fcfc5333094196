// Conversations beside the process.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { drawn, fill, find, greet, has, KNOWN, press, type Page } from '../../testing/page'
import { AT, info, overlays, seated, welcomeReplay } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import { chat, choose, council, openConversations, row, sent, texts } from '../../testing/conversation-page'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('the list of conversations', () => {
  it('asks the server once, and has who last spoke first after the process (S4-B10)', async () => {
    const p = await openConversations({
      views: [
        chat({ updatedAt: '2026-01-02T05:00:00.000Z' }),
        council({ updatedAt: '2026-01-02T06:00:00.000Z', status: 'completed' }),
      ],
    })
    expect(sent(p, 'conversation.list')).toHaveLength(1)
    expect([...p.root.querySelectorAll('.conversation-row')].map((e) => e.getAttribute('data-testid'))).toEqual([
      'talk-c1',
      'talk-k',
      'talk-c2',
    ])
    expect(find(p, 'talk-k').textContent).toContain('Council, done')
    p.net.last.say({
      type: 'conversation.listed',
      requestId: p.net.last.ofType('conversation.list')[0]?.requestId,
      conversations: [
        {
          ...chat(),
          conversationId: 'old',
          title: 'Long ago',
          status: 'completed',
          updatedAt: '2025-01-01T00:00:00.000Z',
          messages: 9,
        },
        {
          ...chat(),
          conversationId: 'older',
          title: 'In the same moment',
          status: 'completed',
          updatedAt: '2025-01-01T00:00:00.000Z',
          messages: 9,
        },
      ],
      hasMore: true,
    })
    await drawn()
    find(p, 'talk-all').click()
    await drawn()
    expect(find(p, 'talk-old').textContent).toContain('Long ago')
    find(p, 'talk-more').click()
    expect(sent(p, 'conversation.list')[1]).toMatchObject({ before: '2025-01-01T00:00:00.000Z', beforeId: 'older' })
  })

  it('says in few letters how long ago each one changed, and the moment on hover', async () => {
    const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const views = [chat({ updatedAt: before(5) }), council({ updatedAt: before(200) })]
    const p = await openConversations({ views })
    const time = (id: string) => find(p, id).querySelector('time')!
    expect([time('talk-c2').textContent, time('talk-k').textContent]).toEqual(['5 min', '3 h'])
    expect(time('talk-k').title).toMatch(/\d{4}, \d\d:\d\d:\d\d$/)
  })

  it('marks what is new until it has been read, across reloads', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.seen.r1': '{"":"2026-01-02T04:00:00.000Z"}' })
    const views = [chat({ updatedAt: '2026-01-02T05:00:00.000Z', messages: [row('a')] })]
    const p = await openConversations({ browser, views })
    expect(find(p, 'talk-c2').dataset['unread']).toBe('true')
    await choose(p, 'c2')
    expect(find(p, 'talk-c2').dataset['unread']).toBe('false')
    const again = await openConversations({ browser, views })
    expect(find(again, 'talk-c2').dataset['unread']).toBe('false')
  })

  it('remembers the first visit, whatever number of conversations were read since', async () => {
    const read = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`r${i}`, '2026-01-02T03:00:00.000Z']))
    const seen = JSON.stringify({ '': '2026-01-02T04:00:00.000Z', ...read })
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.seen.r1': seen })
    const at = { messages: [row('a')], updatedAt: '2026-01-02T03:30:00.000Z' }
    const p = await openConversations({
      browser,
      views: [chat({ ...at, updatedAt: '2026-01-02T05:00:00.000Z' }), chat({ ...at, conversationId: 'old' })],
    })
    await choose(p, 'c2')
    expect(find(p, 'talk-old').dataset['unread']).toBe('false')
  })

  it('is walked with the arrow keys', async () => {
    const p = await openConversations({ views: [chat()] })
    find(p, 'talk-c1').focus()
    press(find(p, 'talk-c1'), 'ArrowDown')
    expect(document.activeElement).toBe(find(p, 'talk-c2'))
    press(find(p, 'talk-c2'), 'Home')
    expect(document.activeElement).toBe(find(p, 'talk-c1'))
  })

  it('and the transcript are two screens on a phone', async () => {
    const p = await openConversations({ views: [chat({ messages: [row('a')] })], layout: 'phone' })
    expect(has(p, 'talk-list')).toBe(false)
    find(p, 'talk-back').click()
    await drawn()
    expect(has(p, 'talk-list')).toBe(true)
    expect(has(p, 'transcript')).toBe(false)
    await choose(p, 'c2')
    expect(find(p, 'conversation').dataset['conversation']).toBe('c2')
    expect(has(p, 'talk-prompt')).toBe(true)
    expect(has(p, 'prompt')).toBe(false) // there is one composer
  })
})

describe('the chosen conversation', () => {
  it('is kept in the browser, and a reload begins none (S4-16, S4-B11)', async () => {
    const browser = memoryStorage(KNOWN)
    const p = await openConversations({ browser, views: [chat({ messages: [row('a')] })] })
    await choose(p, 'c2')
    expect(browser.getItem('agentDungeon.conversation.r1')).toBe('c2')
    const again = await openConversations({ browser, views: [chat({ messages: [row('a')] })] })
    expect(find(again, 'conversation').dataset['conversation']).toBe('c2')
    expect(sent(again, 'conversation.start')).toEqual([])
    await choose(again, 'c1')
    // If no id is stored, the page shows the current process, and later the next one.
    expect(browser.getItem('agentDungeon.conversation.r1')).toBeNull()
  })

  it('that is not here is fetched, and fetching ends: with its rows (S0-19)', async () => {
    const p = await openConversations({ browser: memoryStorage({ ...KNOWN, 'agentDungeon.conversation.r1': 'c9' }) })
    expect(find(p, 'talk-loading').dataset['state']).toBe('loading')
    expect(sent(p, 'conversation.open')).toMatchObject([{ conversationId: 'c9' }])
    p.net.last.say({
      type: 'snapshot',
      requestId: p.net.last.ofType('conversation.open')[0]?.requestId,
      ...chat({ conversationId: 'c9', messages: [row('z', { conversationId: 'c9' })] }),
      overlays: {},
    })
    await drawn()
    expect(has(p, 'talk-loading')).toBe(false)
    expect(find(p, 'transcript').textContent).toContain('text of z')
  })

  it('with an error, and a way on (S0-19)', async () => {
    const p = await openConversations({ browser: memoryStorage({ ...KNOWN, 'agentDungeon.conversation.r1': 'c9' }) })
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('conversation.open')[0]?.requestId,
      code: 'not_found',
      message: 'There is no such conversation.',
    })
    await drawn()
    expect(find(p, 'talk-loading').dataset['state']).toBe('failed')
    expect(find(p, 'talk-loading').textContent).toContain('There is no such conversation.')
    expect(has(p, 'refusal')).toBe(false) // the refusal is shown in one place
    find(p, 'talk-again').click()
    await drawn()
    expect(sent(p, 'conversation.open')).toHaveLength(2)
    expect(find(p, 'talk-loading').dataset['state']).toBe('loading')
  })

  it('or by saying that nobody answers (S0-19)', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.conversation.r1': 'c9' })
    vi.useFakeTimers()
    const opening = openConversations({ browser })
    await vi.advanceTimersByTimeAsync(2_000)
    const p = await opening
    expect(find(p, 'talk-loading').dataset['state']).toBe('loading')
    await vi.advanceTimersByTimeAsync(11_000)
    expect(find(p, 'talk-loading').dataset['state']).toBe('late')
    expect(has(p, 'talk-again')).toBe(true)
  })

  it('shows an empty process and an empty chat as such', async () => {
    const p = await openConversations({ views: [chat()] })
    await choose(p, 'c2')
    expect(find(p, 'transcript').textContent).toContain('Say something to begin.')
  })
})

describe('the list', () => {
  it('is whole where it stands beside the transcript', async () => {
    const many = Array.from({ length: 6 }, (_, i) => chat({ conversationId: `k${i}`, messages: [row(`m${i}`)] }))
    const narrow = await openConversations({ views: many })
    expect([narrow.root.querySelectorAll('.conversation-row').length, has(narrow, 'talk-all')]).toEqual([3, true])
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(readonly told: () => void) {}
        observe(el: HTMLElement) {
          Object.defineProperty(el, 'clientWidth', { configurable: true, value: 700 })
          this.told()
        }
        disconnect() {}
      },
    )
    const wide = await openConversations({ views: many })
    await drawn()
    vi.unstubAllGlobals()
    expect([wide.root.querySelectorAll('.conversation-row').length >= 6, has(wide, 'talk-all')]).toEqual([true, false])
  })
})

describe('the search', () => {
  const hit = {
    seq: 7,
    messageId: 'far',
    conversationId: 'c2',
    kind: 'chat',
    title: 'Ideator',
    role: 'assistant',
    name: 'Ideator',
    at: AT,
    parts: [{ text: 'the ' }, { text: 'drill', hit: true }, { text: ' <b>' }],
  }
  const answer = (body: unknown, ok = true) =>
    vi.fn((_: string) => Promise.resolve({ ok, json: () => Promise.resolve(body) } as Response))
  const typed = async (p: Page, text: string) => {
    await fill(find(p, 'talk-search'), text)
    await new Promise((done) => setTimeout(done, 300))
    await drawn()
  }

  it('finds rows, and a hit leads to its row', async () => {
    const fetch = answer({ hits: [hit] })
    vi.stubGlobal('fetch', fetch)
    const p = await openConversations({ views: [chat({ messages: [row('near', { seq: 400 })], hasMore: true })] })
    await typed(p, 'drill s')
    expect(fetch.mock.calls[0]?.[0]).toBe('/api/search?realm=r1&q=drill+s&limit=50')
    expect(find(p, 'talk-hit').querySelector('mark')?.textContent).toBe('drill')
    expect(find(p, 'talk-hit').textContent).toContain('<b>')
    find(p, 'talk-hit').click()
    await drawn()
    const ask = p.net.last.ofType('conversation.open')[0]
    expect(ask).toMatchObject({ conversationId: 'c2', before: 107, limit: 200 })
    p.net.last.say({
      type: 'snapshot',
      requestId: ask?.requestId,
      ...chat({ messages: [row('far', { seq: 7 }), row('after', { seq: 8 })], hasMore: true }),
      overlays: {},
    })
    await drawn()
    expect(texts(p, 'message').join()).toContain('text of far')
    expect(p.root.querySelector('.led')?.textContent).toContain('text of far')
    find(p, 'talk-newest').click()
    await drawn()
    expect(texts(p, 'message').join()).toContain('text of near')
  })

  it('says when nothing was found, and when it failed', async () => {
    vi.stubGlobal('fetch', answer({ hits: [] }))
    const p = await openConversations()
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
    const p = await openConversations({ views: [chat({ messages: [row('a'), row('b', { seq: 6 })] })] })
    p.net.last.end()
    await new Promise((done) => setTimeout(done, 500))
    greet(
      p.net.last,
      info({ epoch: 'e2' }),
      seated,
      welcomeReplay(51, 51, 'e2'),
      {
        type: 'realm:restored',
        seq: 51,
        at: AT,
        source: 'checkpoint',
        restoredTo: 50,
        interruptedRuns: 1,
        missingMembers: [],
      },
      overlays(),
    )
    await drawn()
    expect(find(p, 'restored').textContent).toMatch(/2 messages.*one turn was cut off.*saved at \d\d:\d\d/)
  })
})
