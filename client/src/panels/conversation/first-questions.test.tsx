// Before there is a conversation: what people ask first. And the questions that an answer offers.
import { describe, expect, it } from 'vitest'
import { drawn, fill, find, greet, has, KNOWN, openPage, type Page } from '../../testing/page'
import { info, overlays, seated, snapshot, welcomeSnapshot, world } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import { chat, choose, openConversations, row, sent } from '../../testing/conversation-page'

const review = {
  id: 'code_review',
  name: 'Code review',
  description: 'Heroes read.',
  roles: ['Architect', 'Bard'],
  stages: ['Look'],
  driver: 'scout' as const,
  cast: [
    { id: 'architect', name: 'Architect', color: '#112233', played: true },
    { id: 'bard', name: 'Bard', color: '#332211', played: true },
  ],
}

async function newRealm(over: { host?: boolean; people?: number; path?: string } = {}): Promise<Page> {
  const { host = true, people = 1, path = '/home/x' } = over
  const role = host ? 'host' : 'spectator'
  const p = await openPage(memoryStorage(KNOWN))
  const list = [{ ...seated, type: undefined, spectatorId: 'p1' }].slice(0, people)
  const w = world(50)
  greet(
    p.net.last,
    info({ role, templates: [review] }),
    welcomeSnapshot(50),
    snapshot(50, { ...w, realm: { ...w.realm, path } }),
    overlays(),
    { ...seated, role },
    { type: 'spectator:list', count: people, spectators: list },
  )
  await drawn()
  return p
}

const text = (p: Page) => find(p, 'talk').textContent ?? ''

describe('a realm without conversations', () => {
  it('says once what to do, and asks by a click', async () => {
    const p = await newRealm()
    expect(p.root.querySelectorAll('.conversations .empty')).toHaveLength(1)
    expect(text(p)).toContain('Ask Bard, who reads this repository')
    find(p, 'first-questions').querySelectorAll('button')[1]?.click()
    expect(sent(p, 'player:command')).toMatchObject([{ text: '/ask bard What should I do first?' }])
  })

  it('gives the words of a person who is alone to somebody who answers', async () => {
    const p = await newRealm()
    expect((find(p, 'prompt') as HTMLTextAreaElement).placeholder).toBe('Ask Bard about this repository')
    await fill(find(p, 'prompt'), 'hello there')
    find(p, 'send').click()
    expect(sent(p, 'player:command')).toMatchObject([{ text: '/ask bard hello there' }])
  })

  it.each([{ people: 2 }, { path: '' }])('keeps them remarks to all with %j', async (over) => {
    const p = await newRealm(over)
    await fill(find(p, 'prompt'), 'hello there')
    find(p, 'send').click()
    expect(sent(p, 'player:command')).toMatchObject([{ text: 'hello there' }])
  })

  it('offers spectators no question that they cannot ask', async () => {
    const p = await newRealm({ host: false })
    expect(has(p, 'first-questions')).toBe(false)
    expect(text(p)).toContain('What is said in this realm appears here.')
  })
})

describe('an answer', () => {
  const answer = row('a', { content: 'It counts sheep.\n\nAsk next:\n- What is risky here?\n- Who knows this code?' })

  it('offers its questions as buttons, which ask with one click (P9.21)', async () => {
    const p = await openConversations({ views: [chat({ messages: [answer] })] })
    await choose(p, 'c2')
    expect(find(p, 'message').textContent).toContain('It counts sheep.')
    expect(find(p, 'transcript').textContent).not.toContain('Ask next')
    find(p, 'next-questions').querySelector('button')?.click()
    await drawn()
    expect(sent(p, 'chat.send')).toMatchObject([{ conversationId: 'c2', content: 'What is risky here?' }])
    expect(has(p, 'next-questions')).toBe(false) // while the question is under way
    expect(document.activeElement).toBe(find(p, 'talk-prompt'))
  })

  it('offers none to spectators, and none once something was said after it', async () => {
    const spectator = await openConversations({ views: [chat({ messages: [answer] })], host: false })
    await choose(spectator, 'c2')
    expect(has(spectator, 'next-questions')).toBe(false)
    const later = row('b', { role: 'user', memberId: '', spectatorId: 'p1', content: 'Well.', seq: 6 })
    const p = await openConversations({ views: [chat({ messages: [answer, later] })] })
    await choose(p, 'c2')
    expect(has(p, 'next-questions')).toBe(false)
  })
})
