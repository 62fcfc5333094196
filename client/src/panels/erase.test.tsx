// Erasing, for the person who asks for it and for others.
import { describe, expect, it } from 'vitest'
import type { ConversationView, Message } from '../net/protocol.gen'
import { memoryStorage } from '../testing/storages'
import { drawn, fill, find, greet, has, KNOWN, openPage, type Page } from '../testing/page'
import { openConversations } from '../testing/conversation-page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'

const SECRET = 'xyzzy-secret'
const TEAM = {
  id: 't',
  name: 't',
  members: [
    { id: 'p1', name: 'Ann', displayName: 'Ann', type: 'human' as const, role: '', color: '#4fb8a3', order: 0 },
    {
      id: 'ideator',
      name: 'ideator',
      displayName: 'Ideator',
      type: 'agent' as const,
      role: 'ideator',
      color: '#4fb8a3',
      order: 1,
    },
  ],
}
const row = (id: string, over: Partial<Message> = {}): Message =>
  message(id, { conversationId: 'c2', stageId: '', seq: 5, ...over })
const chat = (over: Partial<ConversationView> = {}): ConversationView =>
  view({
    conversationId: 'c2',
    kind: 'chat',
    title: 'Talk with Ideator',
    team: TEAM,
    messages: [
      row('u', { role: 'user', memberId: '', spectatorId: 'p1', name: 'Ann', content: `I say ${SECRET}.` }),
      row('a', { seq: 6, content: 'An answer.' }),
    ],
    ...over,
  })

async function open(browser = memoryStorage(KNOWN), session = memoryStorage()): Promise<Page> {
  const p = await openPage(browser, session)
  greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, running(50), [view(), chat()]), overlays(), seated)
  await drawn()
  find(p, 'talk-c2').click()
  await drawn()
  return p
}

const everything = (s: Storage): string =>
  Array.from({ length: s.length }, (_, i) => `${s.key(i)}=${s.getItem(s.key(i) ?? '')}`).join('\n')
const erased = (
  seq: number,
  over: { conversationId?: string; spectatorId?: string; requestId?: string | undefined },
) => ({
  type: 'history:erased',
  seq,
  at: AT,
  erasureId: 'e',
  reason: 'request',
  conversations: over.conversationId ? [over.conversationId] : [],
  ...over,
})

describe('a conversation', () => {
  it('is erased behind a dialog that says what goes, and then there is a receipt', async () => {
    const p = await open()
    find(p, 'talk-erase').click()
    await drawn()
    expect(find(p, 'erase').textContent).toMatch(/Erase “Talk with Ideator”\?.*This cannot be undone\./)
    find(p, 'erase-yes').click()
    await drawn()
    const frame = p.net.last.ofType('history:erase')[0]
    expect(frame).toMatchObject({ conversationId: 'c2' })
    expect(find(p, 'erase-working').textContent).toContain('Erasing')
    p.net.last.say(erased(51, { conversationId: 'c2', requestId: frame?.requestId }))
    await drawn()
    expect(has(p, 'erase-working')).toBe(true) // the server is still erasing the text on disk
    p.net.last.say({
      type: 'history:receipt',
      requestId: frame?.requestId,
      receipt: {
        erasureId: 'e',
        realmId: 'r1',
        conversationId: 'c2',
        requestedAt: AT,
        doneAt: AT,
        changed: { answers: 3, events: 7, messages: 2 },
        unreached: ['Backups that were made before.'],
      },
    })
    await drawn()
    expect(find(p, 'receipt').textContent).toMatch(
      /2 messages.*in the server’s records: 3 kept answers and 7 events.*Backups that were made before\./,
    )
    find(p, 'erase-done').click()
    await drawn()
    expect(find(p, 'erased').textContent).toContain('This conversation was erased.')
    find(p, 'erased-leave').click()
    await drawn()
    expect(find(p, 'conversation').dataset['conversation']).toBe('c1')
  })

  it('says where the server did not erase it', async () => {
    const p = await open()
    find(p, 'talk-erase').click()
    await drawn()
    find(p, 'erase-yes').click()
    await drawn()
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('history:erase')[0]?.requestId,
      code: 'conflict',
      message: 'Somebody speaks in it.',
    })
    await drawn()
    expect(find(p, 'erase').textContent).toContain('It was not erased. Somebody speaks in it.')
    find(p, 'erase-no').click()
    await drawn()
    expect(has(p, 'refusal')).toBe(false)
  })

  it('goes while others watch: rows, list, drafts, words on their way', async () => {
    const browser = memoryStorage(KNOWN)
    const session = memoryStorage()
    const p = await open(browser, session)
    await fill(find(p, 'talk-prompt'), `More of ${SECRET}`)
    find(p, 'talk-send').click()
    await drawn()
    await fill(find(p, 'talk-prompt'), `A draft of ${SECRET}`)
    expect(everything(browser) + everything(session)).toContain(SECRET)
    p.net.last.say(erased(51, { conversationId: 'c2' }))
    await drawn()
    expect(find(p, 'erased').textContent).toContain('This conversation was erased.')
    expect(p.root.textContent).not.toContain(SECRET)
    expect(has(p, 'talk-c2')).toBe(false)
    expect(everything(browser) + everything(session)).not.toContain(SECRET)
    expect(JSON.stringify(p.app.model)).not.toContain(SECRET)
    // A snapshot that was sent before the erasure is ignored.
    p.net.last.say({ type: 'snapshot', ...chat(), overlays: {} })
    p.net.last.say({ type: 'conversation.listed', conversations: [{ ...chat(), messages: 2 }], hasMore: false })
    await drawn()
    expect(JSON.stringify(p.app.model)).not.toContain(SECRET)
    expect(has(p, 'talk-c2')).toBe(false)
  })

  it('that was erased while this page was away takes what is written for it along', async () => {
    const browser = memoryStorage({
      ...KNOWN,
      'agentDungeon.draft.talk.c9': SECRET,
      'agentDungeon.draft.talk.c2': 'kept',
    })
    const p = await openPage(browser, memoryStorage())
    greet(
      p.net.last,
      info(),
      { ...welcomeSnapshot(50), reason: 'erased' },
      snapshot(50, { ...running(50), erased: ['c9'] }, [view(), chat()]),
      overlays(),
      seated,
    )
    await drawn()
    expect(everything(browser)).not.toContain(SECRET)
    expect(everything(browser)).toContain('kept')
  })
})

describe('a person', () => {
  it('of others goes by words and name; their rows stay', async () => {
    const p = await open()
    p.net.last.say({
      type: 'message.added',
      seq: 51,
      at: AT,
      conversationId: 'c2',
      message: row('b', {
        role: 'user',
        memberId: '',
        spectatorId: 'p2',
        name: 'Benedikta',
        content: `Also ${SECRET}`,
      }),
    })
    p.net.last.say({
      type: 'spectator:list',
      count: 2,
      spectators: [
        { spectatorId: 'p1', name: 'Ann', color: '#4fb8a3', role: 'host' },
        { spectatorId: 'p2', name: 'Benedikta', color: '#4fb8a3', role: 'host' },
      ],
    })
    await drawn()
    expect(p.root.textContent).toContain('Benedikta')
    p.net.last.say(erased(52, { spectatorId: 'p2' }))
    await drawn()
    expect(p.root.textContent).not.toContain('Benedikta')
    expect(p.root.textContent).not.toContain(`Also ${SECRET}`)
    expect(p.root.querySelector('[data-message-id=b]')?.textContent).toContain('These words were erased.')
    expect(p.root.textContent).toContain('An answer.')
  })

  it('who only watches reads that a host can erase, because only hosts may', async () => {
    const p = await openConversations({ host: false })
    find(p, 'open-preferences').click()
    await drawn()
    expect(has(p, 'erase-me')).toBe(false)
    expect(find(p, 'ask-to-erase').textContent).toContain('Only hosts can erase')
  })

  it('at this page is forgotten by the browser too, and comes back as somebody new', async () => {
    const browser = memoryStorage(KNOWN)
    const p = await open(browser)
    await fill(find(p, 'talk-prompt'), `A draft of ${SECRET}`)
    find(p, 'open-preferences').click()
    await drawn()
    find(p, 'erase-me').click()
    await drawn()
    find(p, 'erase-yes').click()
    await drawn()
    const frame = p.net.last.ofType('history:erase')[0]
    expect(frame).toMatchObject({ spectatorId: 'p1' })
    p.net.last.say(erased(51, { spectatorId: 'p1', requestId: frame?.requestId }))
    p.net.last.say({
      type: 'history:receipt',
      requestId: frame?.requestId,
      receipt: {
        erasureId: 'e',
        realmId: 'r1',
        spectatorId: 'p1',
        requestedAt: AT,
        doneAt: AT,
        changed: {},
        unreached: [],
      },
    })
    await drawn()
    expect(everything(browser)).not.toContain(SECRET)
    expect(browser.getItem('agentDungeon.identity')).toBeNull()
    expect(browser.getItem('agentDungeon.seat')).toBeNull()
    expect(p.root.textContent).not.toContain(SECRET)
    find(p, 'erase-done').click()
    await drawn()
    expect(has(p, 'splash')).toBe(true)
  })
})
