// The person whose turn it is has closed the page: everybody reads that, and a host can go on without them.
import { expect, it } from 'vitest'
import type { Left, Spectator } from '../net/protocol.gen'
import { drawn, find, has, type Page } from '../testing/page'
import { openConversations, sent, CAST } from '../testing/conversation-page'
import { AT, seated, view } from '../testing/samples'
import { clock } from '../words'

const ASK = { conversationId: 'c1', requestId: 'q', roleId: 'critic', memberId: 'critic', prompt: 'Go.' }
const pia = { roleId: 'critic', memberId: 'critic', kind: 'human' as const, spectatorId: 'p9', name: 'Pia' }
const person = (spectatorId: string): Spectator => ({ spectatorId, name: spectatorId, color: '#aabbcc', role: 'host' })

/** A page where Pia has the turn and the server has sent this list of connected people. */
async function asked(here: string[], left: Left[] = [], role: 'host' | 'spectator' = 'host'): Promise<Page> {
  const plan = { waiting: null, asked: [ASK] }
  const p = await openConversations({ views: [view({ plan })], process: { cast: [...CAST.slice(0, 1), pia] } })
  p.net.last.say([
    { ...seated, role },
    { type: 'spectator:list', count: here.length, spectators: here.map(person), left },
  ])
  await drawn()
  return p
}

it('a person with the turn who has left is said to be away, and a host passes the turn or frees the role', async () => {
  const p = await asked(['p1'], [{ spectatorId: 'p9', at: AT }])
  expect(find(p, 'away').textContent).toContain(`Pia is not here (left ${clock(AT)}).`)
  expect(find(p, 'seat-critic').textContent).toContain('not here')
  find(p, 'away-skip').click()
  expect(sent(p, 'player:command')).toMatchObject([{ text: '/skip critic' }])
  find(p, 'away-free').click()
  expect(sent(p, 'player:dismiss-agent')).toMatchObject([{ agentId: 'critic' }])
})

it('a person who is back is not away any more', async () => {
  const p = await asked(['p1'])
  expect(find(p, 'away').textContent).toContain('Pia is not here. ')
  p.net.last.say({ type: 'spectator:list', count: 2, spectators: [person('p1'), person('p9')] })
  await drawn()
  expect(has(p, 'away')).toBe(false)
  expect(find(p, 'seat-critic').textContent).not.toContain('not here')
})

it('nobody is said to be away by a list that is cut, or that is older than this connection', async () => {
  const p = await asked(['p1'])
  p.net.last.say({ type: 'spectator:list', count: 300, spectators: [person('p1')] })
  await drawn()
  expect(has(p, 'away')).toBe(false)
  expect(has(await asked(['p2']), 'away')).toBe(false)
})

it('a spectator reads it without the buttons', async () => {
  const p = await asked(['p1'], [], 'spectator')
  expect(has(p, 'away')).toBe(true)
  expect(has(p, 'away-free')).toBe(false)
})
