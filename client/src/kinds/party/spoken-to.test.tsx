// Words in the box of a party that mean something without a marker: a member's name at the beginning, and /pause.
import { describe, expect, it } from 'vitest'
import type { ConversationView, Party } from '../../net/protocol.gen'
import { drawn, fill, find, has, press, type Page } from '../../testing/page'
import { openParty, row, session, TEAM } from '../../testing/party-page'

const seat = (memberId: string, spectatorId: string) => ({ memberId, spectatorId })

const opened = async (
  status: 'active' | 'paused',
  at: Partial<Party> = {},
  over: Partial<ConversationView> = {},
): Promise<Page> => {
  const p = await openParty([session({ status, messages: [row('a')], ...over })], {
    status,
    seats: [seat('ada', 'p1')],
    ...at,
  })
  find(p, 'talk-s1').click()
  await drawn()
  return p
}
/** Ann is at this page; Cleo watches too. */
const listed = async (p: Page) => {
  const one = (spectatorId: string, name: string) => ({ spectatorId, name, color: '#4fb8a3', role: 'host' })
  p.net.last.say({ type: 'spectator:list', count: 2, spectators: [one('p1', 'Ann'), one('p2', 'Cleo')] })
  await drawn()
}
const says = async (p: Page, text: string) => {
  await fill(find(p, 'talk-prompt'), text)
  press(find(p, 'talk-prompt'), 'Enter')
  await drawn()
}

describe('the box of a party', () => {
  it('asks the member to whom the words speak by name, and shows it before they are sent', async () => {
    const p = await opened('paused')
    await fill(find(p, 'talk-prompt'), 'Sage, what is risky?')
    expect(find(p, 'ask-sage').getAttribute('aria-pressed')).toBe('true')
    expect(find(p, 'ask-architect').getAttribute('aria-pressed')).toBe('false')
    await says(p, 'Sage, what is risky?')
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ content: 'Sage, what is risky? [NEXT: sage]' }])
  })

  it('asks the member whom a person holds by the name of that person, and says that name in the chip', async () => {
    const p = await opened('paused', { seats: [seat('ada', 'p1'), seat('bob', 'p2')] })
    await listed(p)
    expect(find(p, 'ask-bob').textContent).toContain('Bob (Cleo)')
    await fill(find(p, 'talk-prompt'), 'Cleo, what do you think?')
    expect(find(p, 'ask-bob').getAttribute('aria-pressed')).toBe('true')
    await says(p, 'Cleo, what do you think?')
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ content: 'Cleo, what do you think? [NEXT: bob]' }])
  })

  it('asks people who share one member by their own names, and shows in the row whom it asked', async () => {
    const words = 'Cleo and Sage, what do you think?'
    const asked = row('q', { role: 'user', memberId: 'ada', spectatorId: 'p1', content: words })
    const members = TEAM.members.filter((m) => m.id !== 'bob')
    const called = [
      { messageId: 'q', memberIds: ['ada', 'sage'] },
      { messageId: 'r', memberIds: ['ada'] },
    ]
    const at = { called, newest: 'q' }
    const p = await opened('paused', at, { team: { ...TEAM, members }, messages: [asked, row('r')] })
    expect(find(p, 'party-standing').textContent).toBe('It waits for you.') // nobody else is here
    await listed(p)
    expect(find(p, 'party-standing').textContent).toBe('It waits for Cleo.')
    expect([...p.root.querySelectorAll('.said-marks')].map((e) => e.textContent)).toEqual([
      'asks Cleo and Sage',
      'asks Ada',
    ])
    await fill(find(p, 'talk-prompt'), 'Ann, a word to myself')
    expect([has(p, 'ask-p1'), has(p, 'ask-p2')]).toEqual([false, false])
    await fill(find(p, 'talk-prompt'), words)
    expect(find(p, 'ask-p2').textContent).toContain('Cleo')
    expect(find(p, 'ask-sage').getAttribute('aria-pressed')).toBe('true')
    await says(p, words)
    expect(p.net.last.ofType('chat.send')).toMatchObject([{ content: `${words} [NEXT: ada, sage]` }])
  })

  it('pauses the party, not the process, by /pause', async () => {
    const p = await opened('active')
    await says(p, '/pause')
    expect(p.net.last.ofType('conversation.pause')).toMatchObject([{ conversationId: 's1' }])
    expect(p.net.last.ofType('player:command')).toEqual([])
  })

  it('says that a party that waits is paused already', async () => {
    const p = await opened('paused')
    await says(p, '/pause')
    expect(find(p, 'conversation').textContent).toContain('This conversation waits already.')
    expect(p.net.last.ofType('player:command')).toEqual([])
  })
})
