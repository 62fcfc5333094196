// Parties on the page: choosing a team, resuming a session, speaking.
import { describe, expect, it, vi } from 'vitest'
import type { TeamInfo } from '../../net/protocol.gen'
import { drawn, fill, find, has, press, type Page } from '../../testing/page'
import { listed, openParty, party, row, session, SESSION, TEAM } from '../../testing/party-page'
import { AT } from '../../testing/samples'

async function pickTeam(sessions: TeamInfo['sessions']): Promise<Page> {
  const p = await openParty()
  find(p, 'talk-new').click()
  await drawn()
  const kind = find(p, 'talk-kind') as HTMLSelectElement
  kind.value = 'party'
  kind.dispatchEvent(new Event('change', { bubbles: true }))
  await drawn()
  expect(find(p, 'teams-loading').dataset['state']).toBe('loading')
  p.net.last.say({
    type: 'team:listed',
    requestId: p.net.last.ofType('team:list')[0]?.requestId,
    teams: [listed(sessions)],
  })
  await drawn()
  return p
}

const sets = (p: Page) => p.net.last.ofType('team:set')
const begun = (seq: number, requestId: string | undefined, restored: boolean) => [
  { type: 'conversation.started', seq, at: AT, requestId, conversation: session({ status: 'active' }) },
  { type: 'party:update', seq: seq + 1, at: AT, party: party({ newest: '' }) },
  { type: 'team:ready', seq: seq + 2, at: AT, team: TEAM, restored, conversationId: 's1' },
]

describe('setting out as a party', () => {
  it('shows the team with its people and agents, begins it, and shows its session', async () => {
    const p = await pickTeam([])
    expect(find(p, 'team-guild').textContent).toMatch(
      /The Guild.*2 people and 2 agents, no session yet.*Ada person.*Architect agent/,
    )
    find(p, 'team-go').click()
    await drawn()
    expect(sets(p)).toMatchObject([{ teamId: 'guild' }])
    expect(sets(p)[0]).not.toHaveProperty('resumeSessionId')
    // The first event has the requestId of the command, but the command stays pending until team:ready.
    const events = begun(51, sets(p)[0]?.requestId, false)
    p.net.last.say(events.slice(0, 1))
    await drawn()
    expect(has(p, 'talk-start')).toBe(true)
    p.net.last.say(events.slice(1))
    await drawn()
    expect(has(p, 'talk-start')).toBe(false)
    expect(find(p, 'conversation').dataset['conversation']).toBe('s1')
    expect(find(p, 'party-standing').textContent).toContain('A person speaks first')
    expect(document.activeElement).toBe(find(p, 'talk-prompt')) // the composer has the focus
  })

  // S2-B6
  it('offers the session that was found, by buttons and by keys (S2-B6)', async () => {
    const p = await pickTeam([SESSION])
    find(p, 'team-go').click()
    await drawn()
    expect(find(p, 'found').textContent).toContain("Found previous session for team 'The Guild'")
    expect(find(p, 'found-facts').textContent).toBe('2 hours ago, 15 messages')
    expect(find(p, 'found-summary').textContent).toBe('15 messages - "Where do we begin..."')
    expect([find(p, 'found-resume').textContent, find(p, 'found-new').textContent]).toEqual([
      '[R] Resume',
      '[N] Start New',
    ])
    press(find(p, 'found'), 'x')
    await drawn()
    expect(find(p, 'found-hint').textContent).toBe('Press R to resume or N to start new')
    expect(sets(p)).toEqual([])
    press(find(p, 'found'), 'R')
    await drawn()
    expect(sets(p)).toMatchObject([{ teamId: 'guild', resumeSessionId: 's1' }])
  })

  it('starts a new one on N, and Escape gives up (S2-B6)', async () => {
    const p = await pickTeam([SESSION])
    find(p, 'team-go').click()
    await drawn()
    press(find(p, 'found'), 'n')
    await drawn()
    expect(sets(p)[0]).not.toHaveProperty('resumeSessionId')
    const q = await pickTeam([SESSION])
    find(q, 'team-go').click()
    await drawn()
    press(find(q, 'found'), 'Escape')
    await drawn()
    expect([has(q, 'talk-start'), sets(q).length]).toEqual([false, 0])
  })

  it('says why a resume failed and stays (S2-B6, S2-05)', async () => {
    const p = await pickTeam([SESSION])
    find(p, 'team-go').click()
    await drawn()
    find(p, 'found-resume').click()
    const why =
      "Session 's1' not found for team 'guild'.\n" +
      'Use --resume without ID to restore the latest session, or start a new session.'
    // An event of the refused command does not count as success.
    p.net.last.say([
      {
        type: 'party:update',
        seq: 51,
        at: AT,
        requestId: sets(p)[0]?.requestId,
        party: party({ conversationId: '', status: 'idle' }),
      },
    ])
    p.net.last.say({ type: 'error', requestId: sets(p)[0]?.requestId, code: 'not_found', message: why })
    await drawn()
    expect(find(p, 'found-hint').textContent).toBe(`Failed to restore: ${why}`)
    // The refusal is shown in one place.
    expect(p.root.querySelectorAll('[data-testid=refusal], .note-bad')).toHaveLength(0)
    find(p, 'found-new').click()
    await drawn()
    expect(sets(p)).toHaveLength(2)
  })

  it('ends its waiting where the teams cannot be fetched (S0-19)', async () => {
    const p = await openParty()
    find(p, 'talk-new').click()
    await drawn()
    const kind = find(p, 'talk-kind') as HTMLSelectElement
    kind.value = 'party'
    kind.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    p.net.last.say({
      type: 'error',
      requestId: p.net.last.ofType('team:list')[0]?.requestId,
      code: 'internal',
      message: 'The disk is away.',
    })
    await drawn()
    expect(find(p, 'teams-loading').dataset['state']).toBe('failed')
    expect(find(p, 'teams-loading').textContent).toContain('The disk is away.')
    find(p, 'teams-loading').querySelector('button')?.click()
    await drawn()
    expect(p.net.last.ofType('team:list')).toHaveLength(2)
  })
})

describe('a party', () => {
  const choose = async (p: Page) => {
    find(p, 'talk-s1').click()
    await drawn()
  }

  it('says as whom one speaks, and that may be changed', async () => {
    const p = await openParty([session({ messages: [row('a')] })], { seats: [{ memberId: 'bob', spectatorId: 'p1' }] })
    await choose(p)
    expect(find(p, 'party-voice').dataset['member']).toBe('bob')
    expect(find(p, 'party-standing').textContent).toContain('It waits for Ada.')
    const as = find(p, 'party-speak-as') as HTMLSelectElement
    as.value = 'ada'
    as.dispatchEvent(new Event('change', { bubbles: true }))
    await drawn()
    expect(p.net.last.ofType('team:take-member')).toMatchObject([{ memberId: 'ada' }])
    p.net.last.say({
      type: 'party:update',
      seq: 51,
      at: AT,
      requestId: p.net.last.ofType('team:take-member')[0]?.requestId,
      party: party({ seats: [{ memberId: 'ada', spectatorId: 'p1' }] }),
    })
    await drawn()
    expect(find(p, 'party-standing').textContent).toContain('It waits for you.')
    expect(find(p, 'talk-s1').textContent).toContain('your turn')
  })

  it('says who speaks and who is asked next, with the intent, and the task', async () => {
    const item = (n: number, target: string, intent: string) => ({ n, target, parent: 'a', intent })
    const p = await openParty(
      [
        session({
          status: 'active',
          messages: [row('a', { role: 'user', memberId: 'ada', name: 'Ada', spectatorId: 'p1' })],
        }),
      ],
      {
        status: 'active',
        waitingFor: '',
        teamTask: 'Mend the fence.',
        executing: item(1, 'architect', 'P2'),
        queue: [item(2, 'sage', 'P1')],
        called: [{ messageId: 'a', memberIds: ['architect', 'sage'] }],
      },
    )
    await choose(p)
    expect(find(p, 'party-standing').textContent).toContain('Architect speaks')
    expect(find(p, 'party-queue').textContent).toMatch(/Asked next.*Sage.*first of all/)
    expect(find(p, 'party-task').textContent).toContain('Mend the fence.')
    expect(find(p, 'message').textContent).toContain('asks Architect and Sage')
    find(p, 'talk-pause').click()
    expect(p.net.last.ofType('conversation.pause')).toMatchObject([{ conversationId: 's1' }])
  })

  it('says why it waits, and not twice for whom', async () => {
    const p = await openParty([session({ reason: 'Bob is asked.', messages: [row('a')] })], { waitingFor: 'bob' })
    await choose(p)
    expect(find(p, 'party-standing').textContent).toBe('It waits for Bob.')
    p.net.last.say({
      type: 'conversation.status',
      seq: 51,
      at: AT,
      conversationId: 's1',
      status: 'paused',
      reason: 'Architect was stopped.',
    })
    await drawn()
    expect(find(p, 'party-standing').textContent).toBe('It waits for Bob. Architect was stopped.')
  })

  it('cuts a long reason to two lines, and gives the rest on request', async () => {
    // The test environment has no layout, so give a text that does not fit a greater scrollHeight.
    const high = vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(80)
    const seen = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(40)
    try {
      const p = await openParty(
        [session({ reason: 'Nothing plays the Architect on this server. '.repeat(5), messages: [row('a')] })],
        {},
      )
      await choose(p)
      const status = find(p, 'party-standing')
      const more = find(p, 'standing-more')
      expect([more.textContent, more.getAttribute('aria-expanded'), status.closest('.cut-lines') !== null]).toEqual([
        'More',
        'false',
        true,
      ])
      more.click()
      await drawn()
      expect([find(p, 'standing-more').textContent, status.closest('.cut-lines')]).toEqual(['Less', null])
      p.net.last.say({
        type: 'conversation.status',
        seq: 51,
        at: AT,
        conversationId: 's1',
        status: 'paused',
        reason: 'Architect was stopped. '.repeat(9),
      })
      await drawn()
      expect(find(p, 'standing-more').textContent).toBe('More')
      expect(find(p, 'party-standing')).toBe(status) // the same element, so that screen readers announce the change
    } finally {
      high.mockRestore()
      seen.mockRestore()
    }
  })

  it('has a place to write that is as high as its words also after the window was turned', async () => {
    const p = await openParty([session({ messages: [row('a')] })], {})
    await choose(p)
    const area = find(p, 'talk-prompt')
    const high = vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(84)
    try {
      window.dispatchEvent(new Event('resize'))
      expect(parseInt(area.style.height)).toBeGreaterThanOrEqual(84)
    } finally {
      high.mockRestore()
    }
  })

  it('takes back who was asked, by the words of the message', async () => {
    const item = (n: number, target: string) => ({ n, target, parent: 'a', intent: 'P2' })
    const p = await openParty([session({ messages: [row('a')] })], { queue: [item(2, 'architect'), item(3, 'sage')] })
    await choose(p)
    await fill(find(p, 'talk-prompt'), 'Let it be.')
    const chip = find(p, 'asked-sage')
    expect([chip.getAttribute('aria-label'), chip.getAttribute('aria-pressed')]).toEqual(['Take back: Sage', 'false'])
    chip.click()
    await drawn()
    find(p, 'ask-bob').click()
    await drawn()
    const value = () => (find(p, 'talk-prompt') as HTMLTextAreaElement).value
    expect([value(), chip.getAttribute('aria-pressed')]).toEqual(['Let it be. [DROP: sage] [NEXT: bob]', 'true'])
    find(p, 'asked-architect').click()
    await drawn()
    chip.click()
    await drawn()
    expect([
      value(),
      chip.getAttribute('aria-pressed'),
      find(p, 'asked-architect').getAttribute('aria-pressed'),
    ]).toEqual(['Let it be. [DROP: architect] [NEXT: bob]', 'false', 'true'])
    press(find(p, 'talk-prompt'), 'Enter')
    await drawn()
    expect(p.net.last.ofType('chat.send')).toMatchObject([
      { conversationId: 's1', content: 'Let it be. [DROP: architect] [NEXT: bob]' },
    ])
    expect([value(), find(p, 'asked-architect').getAttribute('aria-pressed')]).toEqual(['', 'false'])
  })

  it('names who is asked in the order in which they will be', async () => {
    // P14.11: the order comes from the server and not from the order of the queue.
    const item = (n: number, target: string, intent: string, parent = 'a') => ({ n, target, parent, intent })
    const p = await openParty([session({ messages: [row('a')] })], {
      newest: 'b',
      queue: [item(2, 'bob', 'P3'), item(3, 'architect', 'P2'), item(4, 'ada', 'P2', 'b'), item(5, 'sage', 'P1')],
      order: [5, 4, 3, 2],
    })
    await choose(p)
    expect([...p.root.querySelectorAll('.party-asked')].map((e) => e.textContent?.replace(/^./, ''))).toEqual([
      'Sagefirst of all✕',
      'Ada✕',
      'Architect✕',
      'Bobwhen nobody else waits✕',
    ])
  })

  it('shows the first line of a long task, and the rest on request', async () => {
    const p = await openParty([session({ messages: [row('a')] })], {
      teamTask: 'Mend the fence, and the gate too. '.repeat(3),
    })
    await choose(p)
    const more = find(p, 'party-task').querySelector('button')
    expect([more?.textContent, more?.getAttribute('aria-expanded')]).toEqual(['More', 'false'])
    more?.click()
    await drawn()
    expect([more?.textContent, find(p, 'party-task').querySelector('.one-line')]).toEqual(['Less', null])
  })

  it('helps to address somebody, and sends the marker', async () => {
    const p = await openParty([session({ messages: [row('a')] })], { seats: [{ memberId: 'ada', spectatorId: 'p1' }] })
    await choose(p)
    expect(has(p, 'ask-ada')).toBe(false) // there is no chip for oneself
    await fill(find(p, 'talk-prompt'), 'What now?')
    find(p, 'ask-architect').click()
    await drawn()
    find(p, 'ask-sage').click()
    await drawn()
    expect((find(p, 'talk-prompt') as HTMLTextAreaElement).value).toBe('What now? [NEXT: architect, sage]')
    expect(find(p, 'ask-sage').getAttribute('aria-pressed')).toBe('true')
    find(p, 'ask-architect').click()
    await drawn()
    press(find(p, 'talk-prompt'), 'Enter')
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ conversationId: 's1', content: 'What now? [NEXT: sage]' }])
  })

  it('goes on in the text box after a click on a member, before the marker', async () => {
    const p = await openParty([session({ messages: [row('a')] })], { seats: [{ memberId: 'ada', spectatorId: 'p1' }] })
    await choose(p)
    const box = find(p, 'talk-prompt') as HTMLTextAreaElement
    await fill(box, 'What now?')
    for (const ask of ['ask-architect', 'ask-sage', 'ask-sage']) {
      find(p, ask).focus()
      find(p, ask).click()
      await drawn()
      expect(document.activeElement).toBe(box)
      expect([box.selectionStart, box.selectionEnd]).toEqual([9, 9])
    }
    expect(box.value).toBe('What now? [NEXT: architect]')
  })

  it('shows markers that stay in the history as chips (S2-B8)', async () => {
    const p = await openParty(
      [
        session({
          messages: [
            row('a', {
              role: 'user',
              memberId: 'ada',
              name: 'Ada',
              content: 'We begin. [FROM: Ada] [TEAM_TASK: Mend it]',
            }),
          ],
        }),
      ],
      {},
    )
    await choose(p)
    const bubble = find(p, 'message')
    expect(bubble.querySelector('.text')?.textContent).toBe('We begin.')
    expect([...bubble.querySelectorAll('.said-marks .chip')].map((e) => e.textContent)).toEqual([
      'spoke as Ada',
      'team task: Mend it',
    ])
  })

  it('names each of the people who share a member, and of somebody who is away only the member', async () => {
    const words = (id: string, spectatorId: string) =>
      row(id, { role: 'user', memberId: 'ada', name: 'Ada', spectatorId, content: id })
    const p = await openParty([session({ messages: [words('a', 'p8'), words('b', 'p9'), words('c', 'gone')] })], {})
    const one = (spectatorId: string, name: string) => ({ spectatorId, name, color: '#4fb8a3', role: 'host' as const })
    p.net.last.say({ type: 'spectator:list', count: 2, spectators: [one('p8', 'Mo'), one('p9', 'Ling')] })
    await choose(p)
    const heads = [...p.root.querySelectorAll('[data-testid=message] header')].map((h) => [
      h.querySelector('.who')?.textContent,
      h.querySelector('.as')?.textContent ?? '',
    ])
    expect(heads).toEqual([
      ['Mo', 'Ada'],
      ['Ling', 'Ada'],
      ['Ada', ''],
    ])
  })

  it('says that somebody spoke as another only where that is so (S2-B10)', async () => {
    const rows = [
      // Bob is not Ada, so the marker has no effect.
      row('a', { role: 'user', memberId: 'bob', name: 'Bob', content: 'I am Ada. [FROM: Ada]' }),
      // The agent is not Ada, so the marker has no effect.
      row('b', { memberId: 'architect', content: 'I agree. [FROM: ada]' }),
      row('c', { role: 'user', memberId: 'ada', name: 'Ada', content: 'It is me. [FROM: A-D_A]' }),
      row('d', {
        role: 'tool',
        memberId: 'architect',
        content: 'log [FROM: ada] [TEAM_TASK: none]',
        tool: { name: 'read', input: '{}' },
      }),
    ]
    const p = await openParty([session({ messages: rows })], {})
    await choose(p)
    const bubbles = [...p.root.querySelectorAll('[data-testid=message]')].slice(0, 3)
    expect(bubbles.map((b) => b.querySelector('.text')?.textContent)).toEqual([
      'I am Ada. [FROM: Ada]',
      'I agree. [FROM: ada]',
      'It is me.',
    ])
    expect([...p.root.querySelectorAll('.said-marks .chip')].map((e) => e.textContent)).toEqual(['spoke as A-D_A'])
  })

  it('that came back says what is here again, and who is missing, by their names (S2-09, S2-12, S2-16)', async () => {
    const p = await openParty([session({ messages: [row('a', { memberId: 'gone', name: 'Old Hand' })] })], {})
    await choose(p)
    // The rows alone show who is missing, before any event.
    expect(find(p, 'session-warning').textContent).toContain(
      'Some speakers in history are not in current team: Old Hand',
    )
    p.net.last.say([
      {
        type: 'session:warning',
        seq: 51,
        at: AT,
        sessionId: 's1',
        conversationId: 's1',
        message:
          '⚠️  Some speakers in history are not in current team: Old Hand\n   Their messages will be ' +
          'displayed with original names.',
        missingMembers: [{ id: 'gone', name: 'Old Hand' }],
      },
      { type: 'conversation.renamed', seq: 52, at: AT, conversationId: 's1', title: 'Restored - Nov 27, 03:04 PM' },
      {
        type: 'session:restored',
        seq: 53,
        at: AT,
        sessionId: 's1',
        conversationId: 's1',
        messageCount: 15,
        stats: { totalMessages: 15, messagesByRole: { ada: 6, gone: 9 }, duration: 1000 },
      },
    ])
    await drawn()
    expect(find(p, 'session-restored').textContent).toMatch(/15 messages are here again\. Old Hand 9 and Ada 6\./)
    expect(find(p, 'talk-head').textContent).toContain('Restored - Nov 27, 03:04 PM')
    expect(find(p, 'session-warning').textContent).toBe(
      'Some speakers in history are not in current team: Old Hand\nTheir messages will be displayed with ' +
        'original names.',
    )
    expect(find(p, 'message').textContent).toContain('Old Hand')
    expect(find(p, 'message').textContent).toContain('not in the team now')
    expect(has(p, 'session-saved')).toBe(true)
    p.net.last.say({ type: 'message.added', seq: 54, at: AT, conversationId: 's1', message: row('b') })
    await drawn()
    expect(has(p, 'session-saved')).toBe(false)
    p.net.last.say({ type: 'session:saved', sessionId: 's1', conversationId: 's1' })
    await drawn()
    expect(has(p, 'session-saved')).toBe(true)
    // The notice stays until it is read, also after a reload.
    const reloaded = await openParty(
      [session({ messages: [row('a', { memberId: 'gone', name: 'Old Hand' })] })],
      {},
      p.browser,
    )
    await choose(reloaded)
    expect(find(reloaded, 'session-restored').textContent).toMatch(
      /15 messages are here again\. Old Hand 9 and Ada 6\./,
    )
    find(p, 'session-read').click()
    await drawn()
    expect(has(p, 'session-notice')).toBe(false)
    expect(p.browser.getItem('agentDungeon.restored.s1')).toBe(null)
    // A warning that was read is not shown again after a reload; one about another member is.
    expect(p.browser.getItem('agentDungeon.missing.s1')).toBe('gone')
    const again = await openParty(
      [session({ messages: [row('a', { memberId: 'gone', name: 'Old Hand' })] })],
      {},
      p.browser,
    )
    await choose(again)
    expect(has(again, 'session-notice')).toBe(false)
    again.net.last.say({
      type: 'message.added',
      seq: 51,
      at: AT,
      conversationId: 's1',
      message: row('z', { memberId: 'other', name: 'Other' }),
    })
    await drawn()
    expect(find(again, 'session-warning').textContent).toContain('Old Hand, Other')
  })

  it('whose session rests can be gone on with', async () => {
    const p = await openParty([session({ messages: [row('a')] })], { conversationId: 'other' })
    await choose(p)
    expect(has(p, 'talk-prompt')).toBe(false)
    expect(find(p, 'session-facts').textContent).toBe(' 1 message: Architect 1.')
    find(p, 'party-resume').click()
    expect(sets(p)).toMatchObject([{ teamId: 'guild', resumeSessionId: 's1' }])
    p.net.last.say({ type: 'error', requestId: sets(p)[0]?.requestId, code: 'conflict', message: 'The disk is away.' })
    await drawn()
    expect(find(p, 'party-resting').textContent).toContain('Failed to restore: The disk is away.')
  })

  it('that is called by its day says of which team it is', async () => {
    const p = await openParty([session({ title: 'Restored - Nov 27, 03:04 PM', messages: [row('a')] })], {
      conversationId: 'other',
    })
    expect(find(p, 'talk-s1').textContent).toContain('Party, paused ·\u00a0The Guild')
    await choose(p)
    expect(find(p, 'talk-head').querySelector('.conversation-says')?.textContent).toBe('The Guild')
  })

  it('follows a team that changed', async () => {
    const p = await openParty([session({ messages: [row('a')] })], {})
    await choose(p)
    p.net.last.say({
      type: 'conversation.team',
      seq: 51,
      at: AT,
      conversationId: 's1',
      team: { ...TEAM, members: TEAM.members.slice(0, 2) },
    })
    await drawn()
    expect(has(p, 'ask-architect')).toBe(false)
    expect(find(p, 'session-warning').textContent).toContain('Architect')
  })
})
