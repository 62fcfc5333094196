// The questions that the page offers before there is a conversation, and those that an answer offers.
import { describe, expect, it } from 'vitest'
import type { ConversationView, Finding } from '../../net/protocol.gen'
import { drawn, fill, find, greet, has, KNOWN, openPage, type Page } from '../../testing/page'
import {
  AT,
  info,
  message,
  overlays,
  running,
  seated,
  snapshot,
  view,
  welcomeSnapshot,
  world,
} from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'
import { chat, choose, council, openConversations, row, run, sent, texts } from '../../testing/conversation-page'

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

const FOUND: Finding = {
  id: 'f',
  processId: 'c1',
  agentId: 'sentinel',
  severity: 'low',
  title: 'A finding',
  text: '',
  path: 'a.go',
  at: AT,
}

interface Realm {
  host?: boolean
  people?: number
  path?: string
  /** Whether a process has ended, and whether it looked for findings. */
  ended?: boolean
  reviewed?: boolean
  nameless?: boolean
  views?: ConversationView[]
}

async function newRealm(over: Realm = {}): Promise<Page> {
  const {
    host = true,
    people = 1,
    path = '/home/x',
    ended = false,
    reviewed = true,
    nameless = false,
    views = [],
  } = over
  const role = host ? 'host' : 'spectator'
  const p = await openPage(memoryStorage(nameless ? { ...KNOWN, 'agentDungeon.identity': '' } : KNOWN))
  const list = [{ ...seated, type: undefined, spectatorId: 'p1' }].slice(0, people)
  const w = ended ? { ...running(50, { status: 'completed', cast: [] }), findings: reviewed ? [FOUND] : [] } : world(50)
  greet(
    p.net.last,
    info({ role, templates: [review] }),
    welcomeSnapshot(50),
    snapshot(50, { ...w, realm: { ...w.realm, path } }, ended ? [view({ messages: [message('m')] })] : views),
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
    expect(text(p)).toContain('Ask Bard, an agent that reads this repository')
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

describe('a conversation that others begin', () => {
  const begun = (): object => ({
    type: 'conversation.started',
    seq: 51,
    at: AT,
    conversation: { ...council({ updatedAt: '2026-01-02T09:00:00.000Z' }), messages: [] },
  })
  const shown = (p: Page) => find(p, 'conversation').getAttribute('data-kind')

  it('is shown to a person who reads, and not to one who writes', async () => {
    for (const [typed, kind] of [
      ['', 'council'],
      ['I think', 'chat'],
    ] as const) {
      const p = await newRealm({ views: [chat()] })
      expect(shown(p)).toBe('chat')
      if (typed) await fill(find(p, 'talk-prompt'), typed)
      p.net.last.say(begun())
      await drawn()
      expect(shown(p)).toBe(kind)
    }
  })

  it('leaves the bar without the words that nothing is running', async () => {
    const p = await newRealm()
    expect(find(p, 'stage-bar').textContent).toContain('Nothing is running here.')
    const q = await newRealm({
      views: [council({ activeRuns: [run('ideator', 'k')], activeRun: run('ideator', 'k') })],
    })
    expect(find(q, 'stage-bar').textContent).toContain('No process is running.')
  })
})

describe('a process that has ended', () => {
  it('keeps the questions, and gives what is typed to somebody who answers', async () => {
    const p = await newRealm({ ended: true })
    const buttons = find(p, 'after-questions').querySelectorAll('button')
    expect([...buttons].map((b) => b.textContent)).toContain('What is risky here?')
    buttons[0]?.click()
    await fill(find(p, 'prompt'), 'what now?')
    find(p, 'send').click()
    expect(sent(p, 'player:command')).toMatchObject([
      { text: '/ask bard What should I do first?' },
      { text: '/ask bard what now?' },
    ])
    await drawn()
    // A pending question is shown as the person typed it, without the command /ask.
    expect(texts(p, 'pending').join()).toContain('what now?')
    expect(texts(p, 'pending').join()).not.toContain('/ask')
  })

  it('offers no questions about the repository after a brainstorm', async () => {
    expect(has(await newRealm({ ended: true, reviewed: false }), 'after-questions')).toBe(false)
  })

  it('offers spectators none, and leaves words to all where others are there', async () => {
    expect(has(await newRealm({ ended: true, host: false }), 'after-questions')).toBe(false)
    const p = await newRealm({ ended: true, people: 2 })
    expect((find(p, 'prompt') as HTMLTextAreaElement).placeholder).toBe('Say something to the people here, or type /')
    expect(has(p, 'after-questions')).toBe(true)
  })
})

describe('a question of somebody without a name', () => {
  it('waits for the name and says so, and comes back without the command', async () => {
    const p = await newRealm({ nameless: true })
    p.app.enter()
    await drawn()
    find(p, 'first-questions').querySelectorAll('button')[1]?.click()
    await drawn()
    expect(has(p, 'ask-name')).toBe(true)
    expect(find(p, 'pending').textContent).toContain('What should I do first?')
    expect(find(p, 'pending').textContent).toContain('waits for your name')
    expect(find(p, 'pending').textContent).not.toContain('/ask')
    find(p, 'ask-name-no').click()
    await drawn()
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('What should I do first?')
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

  it('offers a review with one click where the folder has had none', async () => {
    const p = await newRealm({ views: [chat({ messages: [answer] })] })
    await choose(p, 'c2')
    find(p, 'start-review').click()
    expect(sent(p, 'player:start-process')).toMatchObject([{ templateId: 'code_review' }])
    const after = await openConversations({ views: [chat({ messages: [answer] })] })
    await choose(after, 'c2')
    expect(has(after, 'next-questions')).toBe(true)
    expect(has(after, 'start-review')).toBe(false) // a process runs
  })

  it('has links to the files that it names', async () => {
    const content = 'Read README.md:3, `src/Makefile.in`, field.Look, other/a.go and https://x.org/README.md.'
    const w = running(50, { status: 'completed' })
    const mapTree = { ...w.mapTree, children: [{ path: 'src', children: [] }] } as unknown as typeof w.mapTree
    const p = await openPage(memoryStorage(KNOWN))
    const views = [view(), chat({ messages: [row('a', { content })] })]
    greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, { ...w, mapTree }, views), overlays(), seated)
    await drawn()
    await choose(p, 'c2')
    expect(texts(p, 'file-link')).toEqual(['README.md:3', 'src/Makefile.in'])
    find(p, 'file-link').click()
    expect(p.app.places.file.value).toMatchObject({ path: 'README.md', line: 3 })
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
