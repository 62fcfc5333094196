// The screen has one box for text. It belongs to the conversation that is shown, and what is typed in it is answered
// there.
import { describe, expect, it } from 'vitest'
import type { ConversationView } from '../../net/protocol.gen'
import { drawn, fill, find, has, KNOWN, type Page } from '../../testing/page'
import { AT, conversation, started, view } from '../../testing/samples'
import { CAST, chat, choose, council, openConversations, row, sent, texts } from '../../testing/conversation-page'
import { memoryStorage } from '../../testing/storages'

const talk = chat({ messages: [row('a')] })
const asked = (memberId = 'p1'): ConversationView =>
  view({
    plan: {
      waiting: null,
      asked: [{ conversationId: 'c1', requestId: 'q', roleId: 'critic', memberId, prompt: 'Go.' }],
    },
  })
const MINE = [CAST[0], { roleId: 'critic', memberId: 'p1', kind: 'human' as const, spectatorId: 'p1', name: 'Ann' }]

async function say(p: Page, box: 'prompt' | 'talk-prompt', text: string): Promise<void> {
  await fill(find(p, box), text)
  find(p, box === 'prompt' ? 'send' : 'talk-send').click()
  await drawn()
}

async function answer(p: Page, text: string, seq?: number): Promise<void> {
  const frame = p.net.last.ofType('player:command').at(-1)
  p.net.last.say({ type: 'command:reply', requestId: frame?.requestId, command: 'player:command', text, seq })
  await drawn()
}

const shown = (p: Page) => find(p, 'conversation').dataset['conversation']
const boxes = (p: Page) => [has(p, 'prompt'), has(p, 'talk-prompt')]

describe('the box for text', () => {
  it('belongs to the conversation that is shown, and to the process elsewhere', async () => {
    const p = await openConversations({ views: [talk, chat({ conversationId: 'over', status: 'completed' })] })
    expect(boxes(p)).toEqual([true, false])
    await choose(p, 'c2')
    expect(boxes(p)).toEqual([false, true])
    find(p, 'tab-findings').click()
    await drawn()
    expect(boxes(p)).toEqual([true, false])
    find(p, 'tab-talk').click()
    await drawn()
    await choose(p, 'over') // it has ended, so it has no box of its own
    expect(boxes(p)).toEqual([true, false])
  })

  it('says where a text goes that is typed below another conversation', async () => {
    const p = await openConversations({ views: [talk, chat({ conversationId: 'over', status: 'completed' })] })
    await fill(find(p, 'prompt'), 'hello')
    expect(has(p, 'goes-to')).toBe(false)
    await choose(p, 'over')
    const { title } = p.app.model.realm!.views['c1']!
    expect(find(p, 'goes-to').textContent).toBe(`This goes to everyone, in “${title}”.`)
    await fill(find(p, 'prompt'), '/pause')
    expect(has(p, 'goes-to')).toBe(false)
    await fill(find(p, 'prompt'), '')
    expect(has(p, 'goes-to')).toBe(false)
  })

  it('has the cursor in the conversation that the person has begun', async () => {
    const p = await openConversations({ views: [talk] })
    p.app.conversations.enter('c2')
    await drawn()
    expect(document.activeElement).toBe(find(p, 'talk-prompt'))
    p.app.conversations.enterProcess()
    await drawn()
    expect(shown(p)).toBe('c1')
    expect(document.activeElement).toBe(find(p, 'prompt'))
  })

  it('shows the process that the person starts, whatever was shown, with the cursor in its box', async () => {
    const p = await openConversations({ views: [talk], process: { status: 'completed' } })
    await choose(p, 'c2')
    const result = p.app.startProcess('Which name?', 'two')
    const requestId = result.ok ? result.requestId : ''
    const next = conversation(51)
    const head = next.type === 'conversation.started' ? next.conversation : null
    p.net.last.say([
      { ...next, requestId, conversation: { ...head, conversationId: 'c9' } },
      { ...started(52, { conversationId: 'c9' }), requestId },
    ])
    await drawn()
    expect(shown(p)).toBe('c9')
    expect(document.activeElement).toBe(find(p, 'prompt'))
  })
})

describe('a text in the box of a conversation that ends', () => {
  it('is kept below the conversation until the person discards it, and goes to nobody', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.draft.talk.k': 'I think we should' })
    const p = await openConversations({ views: [council({ status: 'completed' }), talk], browser })
    expect(has(p, 'kept-words')).toBe(false)
    await choose(p, 'k')
    expect(find(p, 'kept-words').textContent).toContain('was not sent before the conversation ended')
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('')
    find(p, 'discard-kept-words').click()
    await drawn()
    expect(has(p, 'kept-words')).toBe(false)
    expect(browser.getItem('agentDungeon.draft.talk.k')).toBe(null)
  })

  it('stays in its box while the conversation goes on', async () => {
    const browser = memoryStorage({ ...KNOWN, 'agentDungeon.draft.talk.c2': 'I think' })
    const p = await openConversations({ views: [talk], browser })
    await choose(p, 'c2')
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('I think')
    expect(has(p, 'kept-words')).toBe(false)
  })
})

describe('the list at the turn of the person', () => {
  const others = ['c2', 'c3', 'c4'].map((conversationId) => chat({ conversationId }))
  const rows = (p: Page) => p.root.querySelectorAll('.conversation-row').length

  it('leaves the space to the transcript, and has all conversations after a click', async () => {
    const p = await openConversations({ views: others })
    expect(rows(p)).toBe(3)
    const q = await openConversations({ views: [...others, asked()], process: { cast: MINE.flatMap((c) => c ?? []) } })
    expect(rows(q)).toBe(1)
    find(q, 'talk-all').click()
    await drawn()
    expect(rows(q)).toBe(4)
  })
})

describe('words to all', () => {
  it('that a spectator sends from the list of conversations on a phone are shown where they went', async () => {
    const p = await openConversations({ views: [talk], host: false, layout: 'phone', process: { status: 'completed' } })
    find(p, 'keep-reading').click()
    find(p, 'tab-talk').click()
    await drawn()
    find(p, 'talk-back').click()
    await drawn()
    expect(has(p, 'conversation')).toBe(false)
    await say(p, 'prompt', 'what is this?')
    expect(shown(p)).toBe('c1')
    expect(texts(p, 'pending').join()).toContain('what is this?')
  })
})

describe('words', () => {
  it('said from another tab are shown', async () => {
    const p = await openConversations({ views: [talk] })
    await choose(p, 'c2')
    find(p, 'tab-findings').click()
    await drawn()
    await say(p, 'prompt', 'hello')
    expect(sent(p, 'player:command')).toMatchObject([{ text: 'hello' }])
    expect(shown(p)).toBe('c1')
    expect(find(p, 'transcript').textContent).toContain('hello')
  })

  it('to a member lead to the chat with it, with the cursor in its box', async () => {
    const p = await openConversations({ views: [talk] })
    await say(p, 'prompt', '/ask ideator What now?')
    const requestId = p.net.last.ofType('player:command')[0]?.requestId ?? ''
    p.net.last.say([
      {
        type: 'chat.started',
        seq: 51,
        at: AT,
        conversationId: 'c2',
        requestId,
        memberId: 'ideator',
        status: 'running',
        message: row('mine', {
          role: 'user',
          memberId: '',
          spectatorId: 'p1',
          name: 'Ann',
          requestId,
          content: 'What now?',
        }),
      },
      { type: 'command:reply', requestId, command: 'player:command', text: 'Ideator answers in your chat.', seq: 51 },
    ])
    await drawn()
    expect(shown(p)).toBe('c2')
    expect(find(p, 'transcript').textContent).toContain('What now?')
    expect(document.activeElement).toBe(find(p, 'talk-prompt'))
  })
})

describe('a command', () => {
  it('is answered in the conversation in which it was typed, and in no other', async () => {
    const p = await openConversations({ views: [talk] })
    await choose(p, 'c2')
    await say(p, 'talk-prompt', '/help')
    expect(sent(p, 'player:command')).toMatchObject([{ text: '/help' }])
    expect(sent(p, 'chat.send')).toEqual([])
    expect(find(p, 'transcript').textContent).toContain('/help') // it is pending
    await answer(p, 'These commands are there.')
    expect(find(p, 'transcript').textContent).toContain('These commands are there.')
    await choose(p, 'c1')
    expect(find(p, 'transcript').textContent).not.toContain('These commands are there.')
  })

  it('that is refused says so where it was typed, and is put back there', async () => {
    const p = await openConversations({ views: [talk] })
    await choose(p, 'c2')
    await say(p, 'talk-prompt', '/mode fast')
    const requestId = p.net.last.ofType('player:command')[0]?.requestId
    p.net.last.say({ type: 'error', requestId, code: 'bad_field', message: 'there is no such mode' })
    await drawn()
    expect(find(p, 'conversation').textContent).toContain('there is no such mode')
    find(p, 'refusal').querySelector('button')?.click()
    await drawn()
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('/mode fast')
  })

  it('has completions in every box, and a path is no command', async () => {
    const p = await openConversations({ views: [talk] })
    await choose(p, 'c2')
    await fill(find(p, 'talk-prompt'), '/pa')
    expect(find(p, 'menu').textContent).toContain('/pause')
    await say(p, 'talk-prompt', '/etc/passwd is read where?')
    expect(sent(p, 'chat.send')).toMatchObject([{ content: '/etc/passwd is read where?' }])
  })

  it.each([true, false])('that there is not is not published, and stays in the box; host: %s', async (host) => {
    const p = await openConversations({ views: [talk], host })
    await say(p, 'prompt', '/puase')
    if (host) {
      await choose(p, 'c2')
      await say(p, 'talk-prompt', '/puase')
      expect(find(p, 'conversation').textContent).toContain('There is no command /puase. Do you mean /pause?')
      expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('/puase')
      await choose(p, 'c1')
    }
    expect((find(p, 'prompt') as HTMLTextAreaElement).value).toBe('/puase')
    if (!host) expect(p.root.textContent).toContain('There is no command /puase. Do you mean /pause?')
    for (const type of ['player:command', 'spectator:command', 'chat.send']) expect(sent(p, type)).toEqual([])
  })

  it.each(['player:command', 'spectator:command'])('is not in a path: it is said to all by %s', async (type) => {
    const p = await openConversations({ views: [talk], host: type === 'player:command' })
    await say(p, 'prompt', '/usr/bin is missing')
    expect(sent(p, type)).toMatchObject([{ text: '/usr/bin is missing' }])
  })

  it('typed beside the findings is answered at the box, and the findings stay', async () => {
    const p = await openConversations({ views: [talk] })
    find(p, 'tab-findings').click()
    await drawn()
    await say(p, 'prompt', '/help')
    await answer(p, 'These commands are there.')
    expect(has(p, 'findings')).toBe(true)
    expect(find(p, 'prompt-reply').textContent).toContain('These commands are there.')
    await fill(find(p, 'prompt'), 'n')
    expect(has(p, 'prompt-reply')).toBe(false)
  })
})

describe('a turn of the person', () => {
  it('is called for while another conversation has the box, and one click leads to it', async () => {
    const p = await openConversations({ views: [talk, asked()], process: { cast: MINE.flatMap((c) => c ?? []) } })
    await choose(p, 'c2')
    expect(boxes(p)).toEqual([false, true])
    expect(has(p, 'my-turn')).toBe(false)
    find(p, 'turn-call').querySelector('button')?.click()
    await drawn()
    expect(shown(p)).toBe('c1')
    expect(document.activeElement).toBe(find(p, 'prompt'))
    expect(find(p, 'my-turn').querySelector('.asked-text')?.textContent).toMatch(/^What now\?.*Go\.$/)
  })

  it('stays while a message to another conversation is on its way', async () => {
    const p = await openConversations({ views: [talk, asked()], process: { cast: MINE.flatMap((c) => c ?? []) } })
    await choose(p, 'c2')
    await say(p, 'talk-prompt', 'hello')
    expect(sent(p, 'chat.send')).toMatchObject([{ conversationId: 'c2' }])
    expect(has(p, 'turn-call')).toBe(true)
  })

  it('and the stage begin with the problem', async () => {
    const p = await openConversations()
    expect(find(p, 'stage-bar').textContent).toMatch(/^What now\?/)
  })
})

describe('a new process', () => {
  it('begins without the notes of the last one', async () => {
    const p = await openConversations()
    const note = { at: AT, spectatorId: 'p2', name: 'Ben', color: '#4fb8a3' }
    p.net.last.say({ ...note, type: 'spectator:command', seq: 51, text: 'the old one' })
    await drawn()
    expect(texts(p, 'transcript').join()).toContain('the old one')
    const next = conversation(52)
    const head = next.type === 'conversation.started' ? next.conversation : null
    p.net.last.say([
      { ...next, conversation: { ...head, conversationId: 'c9' } },
      started(53, { conversationId: 'c9' }),
      { ...note, type: 'spectator:command', seq: 54, text: 'the new one' },
    ])
    await drawn()
    expect(shown(p)).toBe('c9')
    expect(texts(p, 'transcript').join()).toContain('the new one')
    expect(texts(p, 'transcript').join()).not.toContain('the old one')
  })
})

describe('the notes of a pause', () => {
  const head = { at: AT }
  it('name the person who asked for it and who continues', async () => {
    const p = await openConversations()
    const by = { by: 'p2', name: 'Ben' }
    p.net.last.say([
      { ...head, type: 'process:pausing', seq: 51, ...by },
      { ...head, type: 'process:paused', seq: 52, ...by },
      { ...head, type: 'process:resumed', seq: 53, ...by },
    ])
    await drawn()
    const told = find(p, 'transcript').textContent
    expect(told).toContain('Ben pauses the process after the current turns.')
    expect(told).toContain('Paused by Ben.')
    expect(told).toContain('Ben continues the process.')
  })

  it('of an older version, or of the server itself, name nobody', async () => {
    const p = await openConversations()
    p.net.last.say([
      { ...head, type: 'process:pausing', seq: 51 },
      { ...head, type: 'process:paused', seq: 52, reason: 'three restarts' },
      { ...head, type: 'process:resumed', seq: 53 },
    ])
    await drawn()
    const told = find(p, 'transcript').textContent
    expect(told).toContain('Pausing after the current turns.')
    expect(told).toContain('Paused: three restarts')
    expect(told).toContain('The process continues.')
  })
})
