// The page shows a kind that it does not know, and a new kind needs two files and a registration.
import { afterEach, describe, expect, it } from 'vitest'
import type { ConversationView } from '../net/protocol.gen'
import { drawn, fill, find, has } from '../testing/page'
import { view } from '../testing/samples'
import { choose, openConversations, row, sent, TEAM, texts } from '../testing/conversation-page'
import { toy } from '../testing/toy/toy'
import { kindOf, kinds, register } from './kinds'
import { RULES } from './rules'

const sixth = (over: Partial<ConversationView> = {}): ConversationView =>
  view({ conversationId: 'c2', kind: 'riddle', title: 'What has roots?', team: TEAM, ...over })

it('folds as each kind says, before the kinds are loaded', () => {
  for (const { name, staged, rowsNameMembers } of kinds()) {
    const { staged: s = false, rowsNameMembers: r = false } = RULES[name] ?? {}
    expect([name, staged ?? false, rowsNameMembers ?? false]).toEqual([name, s, r])
  }
})

describe('a kind that the page does not know', () => {
  it('shows its rows, its members and its status, and offers nothing that may not be', async () => {
    const p = await openConversations({
      views: [sixth({ messages: [row('a')], status: 'paused', reason: 'It waits.' })],
    })
    expect(find(p, 'talk-c2').textContent).toContain('Riddle, paused')
    await choose(p, 'c2')
    expect(find(p, 'conversation').dataset['kind']).toBe('riddle')
    expect(find(p, 'talk-head').textContent).toContain('What has roots?')
    expect(find(p, 'talk-head').querySelector('.shields')?.getAttribute('aria-label')).toBe('Ann and Ideator')
    expect(find(p, 'talk-standing').textContent).toBe('It waits.')
    expect(texts(p, 'message').join()).toContain('text of a')
    expect(has(p, 'talk-prompt')).toBe(false)
    expect(has(p, 'talk-abort')).toBe(false)
    expect(has(p, 'talk-erase')).toBe(true)
  })

  it('says who is at work, and its end', async () => {
    const run = { conversationId: 'c2', requestId: 'q', memberId: 'ideator', status: 'running' as const, startSeq: 4 }
    const at = '2026-01-02T03:04:05.000Z'
    const p = await openConversations({
      views: [sixth({ messages: [row('a')], activeRuns: [{ ...run, startedAt: at, lastActivityAt: at }] })],
    })
    await choose(p, 'c2')
    expect(find(p, 'thinking').textContent).toContain('Ideator is at work')
    p.net.last.say([
      { type: 'chat.done', seq: 51, at, conversationId: 'c2', requestId: 'q', memberId: 'ideator' },
      { type: 'conversation.status', seq: 52, at, conversationId: 'c2', status: 'completed' },
    ])
    await drawn()
    expect(has(p, 'thinking')).toBe(false)
    expect(find(p, 'conversation').querySelector('.conversation-over-line')?.textContent).toBe(
      'This conversation is over. It stays here to read.',
    )
    expect(find(p, 'talk-c2').textContent).toContain('Riddle, done')
  })
})

describe('a new kind', () => {
  let remove = () => {}
  afterEach(() => remove())

  it('is begun, shows its state, labels its rows and has its controls', async () => {
    remove = register(toy)
    const p = await openConversations()
    find(p, 'talk-new').click()
    await drawn()
    const pick = find(p, 'talk-kind') as HTMLSelectElement
    pick.value = 'riddle'
    pick.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    find(p, 'toy-go').click()
    await drawn()
    expect(sent(p, 'conversation.start')).toMatchObject([{ kind: 'riddle' }])
    const plan = { waiting: null, asked: [], guesses: 3 }
    const { messages: _, activeRuns: __, ...head } = sixth()
    p.net.last.say({
      type: 'snapshot',
      ...head,
      plan,
      messages: [row('a')],
      activeRuns: [],
      overlays: {},
      hasMore: false,
    })
    await drawn()
    await choose(p, 'c2')
    expect(find(p, 'talk-c2').textContent).toContain('Riddle, your turn')
    expect(find(p, 'toy-left').textContent).toBe('3 guesses left')
    expect(texts(p, 'message').join()).toContain('TEXT OF A')
    await fill(find(p, 'talk-prompt'), 'A tree')
    find(p, 'talk-send').click()
    await drawn()
    expect(sent(p, 'chat.send')).toMatchObject([{ conversationId: 'c2', content: 'A tree' }])
    find(p, 'toy-give-up').click()
    expect(sent(p, 'conversation.abort')).toMatchObject([{ conversationId: 'c2' }])
  })

  it('is registered once, and taken out leaves nothing', () => {
    const before = kinds().length
    remove = register(toy)
    expect(() => register(toy)).toThrow('registered twice')
    expect(kindOf({ kind: 'riddle' }).label(sixth()).word).toBe('Riddle')
    remove()
    expect(kinds()).toHaveLength(before)
    remove = () => {}
  })
})
