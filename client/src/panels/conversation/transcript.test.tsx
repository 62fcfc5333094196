// A transcript: its rows, and what is sent into it.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Message } from '../../net/protocol.gen'
import { drawn, fill, find, greet, has, KNOWN, openPage, press } from '../../testing/page'
import { memoryStorage } from '../../testing/storages'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../../testing/samples'
import {
  CAST,
  chat,
  choose,
  council,
  member,
  openConversations,
  row,
  sent,
  TEAM,
  texts,
} from '../../testing/conversation-page'
import { words } from '../../words'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The people who watch the realm, by id and role. */
const people = (...all: [string, 'host' | 'spectator'][]) => ({
  type: 'spectator:list',
  count: all.length,
  spectators: all.map(([spectatorId, role]) => ({ spectatorId, name: 'Ann', color: '#4fb8a3', role })),
})

describe('a transcript', () => {
  it('shows damage as damage, and nothing else as it (S3-17)', async () => {
    const said = { role: 'user' as const, memberId: '', spectatorId: 'p1', name: 'Ann' }
    const tool = row('t', {
      role: 'tool',
      status: 'done',
      content: 'forty-one',
      damaged: true,
      tool: { name: 'count_lines', input: '{}' },
    })
    const p = await openConversations({
      views: [
        chat({
          messages: [
            row('a', { ...said, content: 'whole' }),
            row('b', { ...said, content: 'chamged', damaged: true }),
            row('c', { ...said, content: '', damaged: true }),
            tool,
          ],
        }),
      ],
    })
    await choose(p, 'c2')
    const text = (id: string) => p.root.querySelector(`[data-message-id=${id}]`)?.textContent ?? ''
    expect(text('a')).not.toContain('damaged')
    expect(text('b')).toContain('chamged')
    expect(text('b')).toContain('was damaged on the server’s disk. It may differ')
    expect(text('c')).toContain('was damaged on the server’s disk and cannot be read')
    expect(text('t')).toContain('was damaged')
  })

  it('shows a bubble that streams and tools as rows that fold (S4-18)', async () => {
    const tool = row('t', {
      role: 'tool',
      status: 'done',
      content: 'forty-one',
      tool: { name: 'count_lines', input: '{"path":"docs"}' },
    })
    const p = await openConversations({
      views: [
        chat({
          messages: [
            row('u', { role: 'user', memberId: '', spectatorId: 'p1', name: 'Ann', content: 'How many?' }),
            tool,
          ],
        }),
      ],
    })
    await choose(p, 'c2')
    const run = { conversationId: 'c2', requestId: 'q', memberId: 'ideator' }
    p.net.last.say([
      { type: 'chat.started', seq: 51, at: AT, ...run, status: 'running' },
      { type: 'assistant.segment.started', seq: 52, at: AT, ...run, messageId: 'm', name: 'Ideator' },
      { type: 'chat.delta', ...run, messageId: 'm', n: 0, text: 'I **cou' },
    ])
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

  it('says of which file git keeps the content away (P17.9)', async () => {
    const input = '{"withheld":"git ignores this file","file_path":"/repo/.env"}'
    const tool = (id: string, over: Partial<Message['tool']>) =>
      row(id, { role: 'tool', content: '[not kept]', tool: { name: 'Write', input: '{}', ...over } })
    const messages = [tool('a', { input, withheld: true }), tool('b', { withheld: true })]
    const p = await openConversations({ views: [chat({ messages })] })
    await choose(p, 'c2')
    const text = (id: string) => {
      p.root.querySelector<HTMLElement>(`[data-message-id=${id}] button`)?.click()
      return drawn().then(() => p.root.querySelector(`[data-message-id=${id}] .tool-body`)?.textContent)
    }
    expect(await text('a')).toMatch(/(Not kept: git ignores \/repo\/\.env\..*){2}/)
    expect(await text('b')).toContain('Not kept: git ignores a file that this call names.')
  })

  it('says that nobody knows what a tool did, and fetches what was too long (S4-B4)', async () => {
    const tool = (id: string, over: Partial<Message>) =>
      row(id, { role: 'tool', tool: { name: 'write_file', input: '{}' }, ...over })
    const p = await openConversations({
      views: [
        chat({
          messages: [
            tool('a', { seq: 40, status: 'interrupted', content: '' }),
            tool('b', { seq: 41, status: 'done', content: 'some', tool: { name: 'x', input: '', cut: true } }),
          ],
        }),
      ],
    })
    await choose(p, 'c2')
    expect(p.root.querySelector('[data-message-id=a]')?.textContent).toContain('outcome unknown')
    expect(p.root.querySelector('[data-message-id=a]')?.textContent).toContain('nobody knows')
    p.root.querySelector<HTMLElement>('[data-message-id=b] button')?.click()
    await drawn()
    find(p, 'tool-whole').click()
    const ask = p.net.last.ofType('conversation.open')[0]
    expect(ask).toMatchObject({ conversationId: 'c2', before: 42, limit: 1 })
    p.net.last.say({
      type: 'snapshot',
      requestId: ask?.requestId,
      ...chat({ messages: [tool('b', { seq: 41, status: 'done', content: 'all of it' })] }),
      overlays: {},
    })
    await drawn()
    expect(p.root.querySelector('[data-message-id=b]')?.textContent).toContain('all of it')
  })

  it('of a council that rests asks the server once who is next, and shows what it says', async () => {
    const p = await openConversations({
      views: [council({ plan: { waiting: null, asked: [], turns: 1, maxTurns: 4 } })],
    })
    const asked = () => p.net.last.ofType('conversation.open').filter((f) => f['limit'] === 0)
    await choose(p, 'k')
    expect(asked()).toEqual([]) // an active council begins its next turn by itself
    p.net.last.say({ type: 'conversation.status', seq: 51, at: AT, conversationId: 'k', status: 'paused' })
    await drawn()
    expect(asked()).toMatchObject([{ conversationId: 'k' }])
    expect(find(p, 'talk-head').textContent).not.toContain('next:')
    const { messages: _, ...head } = council({ status: 'paused', lastSeq: 51 })
    p.net.last.say({ type: 'snapshot', requestId: asked()[0]?.requestId, ...head, messages: [], overlays: {} })
    await drawn()
    expect(find(p, 'talk-head').textContent).toContain('1 of 4 turns ·\u00a0next: critic')
    expect(asked()).toHaveLength(1)
  })

  it('of a council has its replies, not what its members were told (S0-B9)', async () => {
    const told = row('o', {
      conversationId: 'k',
      role: 'user',
      memberId: '',
      name: '',
      content: 'You are Ideator. It is turn 1.',
    })
    const p = await openConversations({
      views: [council({ messages: [told, row('r', { conversationId: 'k', content: 'Call it Shelf.' })] })],
    })
    await choose(p, 'k')
    expect(texts(p, 'message')).toHaveLength(1)
    expect(find(p, 'transcript').textContent).not.toContain('You are Ideator')
    expect(find(p, 'talk-head').textContent).toContain('What should the shelf be called?')
    expect(find(p, 'talk-head').textContent).toContain('1 of 4 turns ·\u00a0next: critic')
  })

  it('has a line for each day', async () => {
    const p = await openConversations({
      views: [
        chat({
          messages: [
            row('a', { at: '2026-01-01T12:00:00.000Z', seq: 1 }),
            row('b', { at: '2026-01-01T12:30:00.000Z', seq: 2 }),
            row('c', { at: '2026-01-03T12:00:00.000Z', seq: 3 }),
          ],
        }),
      ],
    })
    await choose(p, 'c2')
    expect([...p.root.querySelectorAll('.day-line')].map((e) => e.textContent)).toEqual([
      'Thursday, January 1, 2026',
      'Saturday, January 3, 2026',
    ])
  })

  it('copies one message, and all of them without a clipboard (S4-B10)', async () => {
    const p = await openConversations({
      views: [chat({ messages: [row('a', { content: 'one **b**' }), row('b', { content: 'two' })] })],
    })
    await choose(p, 'c2')
    const writeText = vi.fn(async () => {})
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    find(p, 'copy-one').click()
    await drawn()
    expect(writeText).toHaveBeenCalledWith('one **b**')
    vi.stubGlobal('navigator', {})
    let copied = ''
    Object.assign(document, {
      execCommand: () => (
        (copied = document.querySelector<HTMLTextAreaElement>('textarea[readonly]')?.value ?? ''),
        true
      ),
    })
    find(p, 'copy-transcript').click()
    await drawn()
    expect(copied).toMatch(/Ideator \(.*\)\none \*\*b\*\*\n\nIdeator \(.*\)\ntwo/)
    Reflect.deleteProperty(document, 'execCommand')
  })

  // One person may play many roles of a process. The name of the member is the role, its display name the person.
  it('of a process shows for which role a person spoke', async () => {
    const ann = { type: 'human' as const, displayName: 'Ann', color: '#aa3311', order: 0 }
    const members = ['Red Hat', 'Black Hat'].map((name) => ({ ...ann, id: name, name, role: name }))
    const said = members.map((m) => message(`of ${m.id}`, { role: 'user', memberId: m.id, name: 'Ann' }))
    const aside = message('of nobody', { role: 'user', memberId: '', name: 'Ann', spectatorId: 'p2' })
    const process = view({ team: { id: 't', name: 't', members }, messages: [...said, aside] })
    const p = await openPage(memoryStorage(KNOWN))
    greet(p.net.last, info(), welcomeSnapshot(50), snapshot(50, running(50), [process]), overlays(), seated)
    p.net.last.say(people(['p2', 'spectator']))
    await drawn()
    const notes = [...p.root.querySelectorAll('[data-testid=message]')].map((m) =>
      [...m.querySelectorAll('.as')].map((a) => a.textContent).join(),
    )
    expect(notes).toEqual(['Red Hat', 'Black Hat', words.transcript.bystander])
  })

  it('of a process calls only spectators so, and a person with a role by that role', async () => {
    const aside = (spectatorId: string) => message(`of ${spectatorId}`, { role: 'user', memberId: '', spectatorId })
    const cast = [
      { roleId: 'ideator', memberId: 'ideator', kind: 'human' as const, spectatorId: 'holder' },
      { roleId: 'critic', memberId: 'critic', kind: 'open' as const },
    ]
    const messages = ['holder', 'host', 'watcher', 'gone'].map(aside)
    const p = await openPage(memoryStorage(KNOWN))
    const at = snapshot(50, running(50, { cast }), [view({ messages })])
    greet(p.net.last, info(), welcomeSnapshot(50), at, overlays(), seated)
    p.net.last.say(people(['holder', 'host'], ['host', 'host'], ['watcher', 'spectator']))
    await drawn()
    const notes = [...p.root.querySelectorAll('[data-testid=message]')].map((m) => m.querySelector('.as')?.textContent)
    expect(notes).toEqual(['Ideator, to all', undefined, words.transcript.bystander, undefined])
  })

  it('shows a stage by itself, and all of them again', async () => {
    const p = await openConversations({})
    p.net.last.say([
      {
        type: 'message.added',
        seq: 51,
        at: AT,
        conversationId: 'c1',
        message: message('new', { stageId: 'choice', content: 'Of the choice.' }),
      },
      {
        type: 'message.added',
        seq: 52,
        at: AT,
        conversationId: 'c1',
        message: message('other', { stageId: 'ideas', content: 'Of the ideas.' }),
      },
    ])
    await drawn()
    const pick = find(p, 'stage-pick') as HTMLSelectElement
    pick.value = 'choice'
    pick.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    const ask = p.net.last.ofType('conversation.open')[0]
    expect(ask).toMatchObject({ conversationId: 'c1', stageId: 'choice' })
    p.net.last.say({
      type: 'snapshot',
      requestId: ask?.requestId,
      ...view({ messages: [message('older', { stageId: 'choice', seq: 2, content: 'Long before.' })], hasMore: false }),
      overlays: {},
    })
    await drawn()
    expect(texts(p, 'message').map((t) => /Of the choice|Long before|Of the ideas/.exec(t)?.[0])).toEqual([
      'Long before',
      'Of the choice',
    ])
  })
})

describe('what is said', () => {
  it('in a chat goes there, with what was seen, and stands there until the server has it (S4-B8)', async () => {
    const mine = row('u', { role: 'user', memberId: '', spectatorId: 'p1', name: 'Ann', seq: 7 })
    const p = await openConversations({ views: [chat({ messages: [mine] })] })
    await choose(p, 'c2')
    await fill(find(p, 'talk-prompt'), 'And then?')
    press(find(p, 'talk-prompt'), 'Enter', { shiftKey: true })
    expect(sent(p, 'chat.send')).toEqual([])
    press(find(p, 'talk-prompt'), 'Enter')
    await drawn()
    const frame = p.net.last.ofType('chat.send')[0]
    expect(frame).toMatchObject({ conversationId: 'c2', content: 'And then?', seenSeq: 7 })
    expect(find(p, 'pending').textContent).toContain('And then?')
    // A second message that is sent at once does not treat the first one as another person's message.
    await fill(find(p, 'talk-prompt'), 'Quickly.')
    press(find(p, 'talk-prompt'), 'Enter')
    expect(p.net.last.ofType('chat.send')[1]).not.toHaveProperty('seenSeq')
    // The snapshot has the first message but not the second, which stays pending and is sent again.
    p.net.last.end()
    await new Promise((done) => setTimeout(done, 500))
    greet(
      p.net.last,
      info(),
      seated,
      welcomeSnapshot(60),
      snapshot(60, running(60, { cast: CAST }), [
        view(),
        chat({
          messages: [
            mine,
            row('w', {
              role: 'user',
              memberId: '',
              name: 'Ann',
              requestId: frame?.requestId ?? '',
              content: 'And then?',
            }),
          ],
        }),
      ]),
      overlays(),
    )
    await drawn()
    expect(texts(p, 'pending')).toEqual([expect.stringContaining('Quickly.')])
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ content: 'Quickly.' }])
  })

  it('after somebody else spoke is told once, whoever it was (S1-12)', async () => {
    const p = await openConversations({ views: [chat({ messages: [row('a')] })] })
    await choose(p, 'c2')
    p.net.last.say({ type: 'conversation.overtaken', conversationId: 'c2', requestId: 'x', name: 'Ben', lastSeq: 9 })
    await drawn()
    expect(find(p, 'overtaken').textContent).toContain('Ben spoke here before your message arrived')
    find(p, 'overtaken').querySelector('button')?.click()
    await drawn()
    expect(has(p, 'overtaken')).toBe(false)
    p.net.last.say({
      type: 'conversation.overtaken',
      conversationId: 'c2',
      requestId: 'x',
      name: 'Ann',
      own: true,
      lastSeq: 9,
    })
    await drawn()
    expect(find(p, 'overtaken').textContent).toContain('Another window of yours')
  })

  it('and refused is said there, and goes back to where it was written', async () => {
    const p = await openConversations({ views: [chat({ messages: [row('a')] })] })
    await choose(p, 'c2')
    await fill(find(p, 'talk-prompt'), 'Hello')
    find(p, 'talk-send').click()
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('chat.send')[0]?.requestId,
      code: 'conflict',
      message: 'this conversation has ended',
    })
    await drawn()
    expect(find(p, 'conversation').querySelector('[data-testid=refusal]')?.textContent).toContain(
      'this conversation has ended',
    )
    expect(p.root.querySelectorAll('[data-testid=refusal]')).toHaveLength(1)
    find(p, 'refusal').querySelector<HTMLElement>('button.small')?.click()
    await drawn()
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('Hello')
  })

  it('while a council asks this person is their turn', async () => {
    const asked = council({
      team: { ...TEAM, members: [member('ideator', 'agent', 0), member('p1', 'human', 1)] },
      messages: [row('r', { conversationId: 'k' })],
    })
    const p = await openConversations({ views: [asked] })
    await choose(p, 'k')
    p.net.last.say({
      type: 'chat.started',
      seq: 51,
      at: AT,
      conversationId: 'k',
      requestId: 'q',
      memberId: 'p1',
      status: 'running',
      turn: { stageId: 'rounds', roleId: 'p1', attempt: 1, n: 2 },
    })
    await drawn()
    expect(find(p, 'conversation').textContent).toContain('It is your turn in this council.')
    expect(find(p, 'talk-k').textContent).toContain('your turn')
    find(p, 'talk-pass').click()
    expect(sent(p, 'chat.cancel')).toEqual([{ type: 'chat.cancel', conversationId: 'k', requestId: 'q' }])
  })
})

describe('a conversation', () => {
  it('that was left in silence is shown as such, and a message takes it up again (S1-16)', async () => {
    const p = await openConversations({ views: [chat({ status: 'abandoned', messages: [row('a')] })] })
    await choose(p, 'c2')
    expect(find(p, 'talk-c2').textContent).toContain('Chat, left')
    expect(find(p, 'conversation').textContent).toContain('A message takes it up again.')
    await fill(find(p, 'talk-prompt'), 'Still there?')
    find(p, 'talk-send').click()
    expect(sent(p, 'chat.send')).toMatchObject([{ conversationId: 'c2', content: 'Still there?' }])
  })

  it('is paused, resumed, ended and renamed in its head', async () => {
    const p = await openConversations({ views: [council({ messages: [row('r', { conversationId: 'k' })] })] })
    await choose(p, 'k')
    find(p, 'talk-pause').click()
    expect(sent(p, 'conversation.pause')).toMatchObject([{ conversationId: 'k' }])
    p.net.last.say({
      type: 'conversation.status',
      seq: 51,
      at: AT,
      requestId: p.net.last.ofType('conversation.pause')[0]?.requestId,
      conversationId: 'k',
      status: 'paused',
      reason: 'Ann paused it.',
    })
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

  it.each(['running', 'paused'] as const)(
    'of a process that is %s is ended after a question (P9.23)',
    async (status) => {
      const p = await openConversations({ process: { status } })
      expect(has(p, 'talk-pause')).toBe(status === 'running')
      find(p, 'talk-abort').click()
      await drawn()
      expect(p.net.last.ofType('conversation.abort')).toEqual([])
      find(p, 'confirm-yes').click()
      await drawn()
      expect(p.net.last.ofType('conversation.abort')).toMatchObject([{ conversationId: 'c1' }])
    },
  )

  it('that is queued says which limit holds it', async () => {
    const p = await openConversations({ views: [council({ status: 'queued' })] })
    await choose(p, 'k')
    expect(find(p, 'talk-standing').textContent).toContain('Queued: 3 councils and tasks run at once.')
  })

  it('whose last answer came to nothing is answered again', async () => {
    const lastRun = {
      conversationId: 'c2',
      requestId: 'q',
      memberId: 'ideator',
      status: 'interrupted' as const,
      startedAt: AT,
      lastActivityAt: AT,
      startSeq: 9,
    }
    const p = await openConversations({ views: [chat({ messages: [row('a')], lastRun })] })
    await choose(p, 'c2')
    expect(find(p, 'retry').textContent).toContain('cut off when the server stopped')
    find(p, 'retry-now-answer').click()
    expect(sent(p, 'conversation.resume')).toMatchObject([{ conversationId: 'c2' }])
  })

  it('shows spectators what is said, and nothing to press', async () => {
    const p = await openConversations({
      host: false,
      views: [council({ messages: [row('r', { conversationId: 'k' })] })],
    })
    await choose(p, 'k')
    expect(texts(p, 'message')).toHaveLength(1)
    for (const id of ['talk-pause', 'talk-abort', 'talk-rename', 'talk-prompt', 'talk-new', 'hero-menu-ideator'])
      expect(has(p, id), id).toBe(false)
  })
})

it('shows the end of a stage before the heading of the next one, and the words of the agent as Markdown', async () => {
  const p = await openPage(memoryStorage(KNOWN))
  const said = message('m', { seq: 11 })
  const next = message('n', { seq: 13, role: 'system', memberId: '', name: '', content: 'Stage 2 of 2' })
  const w = running(50)
  const sealed = { type: 'process:sealed', seq: 12, at: AT, conversationId: 'c1', stageId: 'ideas', roleId: 'critic' }
  const summary = 'subprocess.check\\_output (`app.py:15`)'
  greet(
    p.net.last,
    info(),
    welcomeSnapshot(50),
    { ...snapshot(50, w, [view({ messages: [said, next] })]), recent: [{ ...sealed, summary }] },
    overlays(),
    seated,
  )
  await drawn()
  const shown = find(p, 'transcript').textContent ?? ''
  expect(shown).toContain('closes the stage: subprocess.check_output (app.py:15)')
  expect(shown.indexOf('closes the stage')).toBeLessThan(shown.indexOf('Stage 2 of 2'))
})
