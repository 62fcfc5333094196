// Only the person whose turn it is reads that it is theirs; everybody else reads for whom a conversation waits.
import { describe, expect, it } from 'vitest'
import type { Casting, ConversationView, Waiting } from '../net/protocol.gen'
import { chat, choose, council, member, openConversations, run, TEAM } from '../testing/conversation-page'
import { drawn, find, greet, KNOWN, openPage, type Page } from '../testing/page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'

const row = (p: Page, id: string) => find(p, `talk-${id}`)
const mark = (p: Page, id: string) => row(p, id).querySelector('.mark')?.getAttribute('class')

describe('a process', () => {
  const asked = (memberId: string) => ({
    conversationId: 'c1',
    requestId: `q-${memberId}`,
    roleId: memberId,
    memberId,
    prompt: 'Go.',
  })
  const held = (spectatorId: string, name: string): Casting[] => [
    { roleId: 'ideator', memberId: 'ideator', kind: 'human', spectatorId, name },
    { roleId: 'critic', memberId: 'critic', kind: 'agent' },
  ]
  const open = async (cast: Casting[], members: string[]) => {
    const p = await openPage(memoryStorage(KNOWN))
    const [first = null, ...more] = members.map((id) => run(id, 'c1'))
    const plan = { waiting: null, asked: [asked('ideator')] }
    const v = view({ plan, activeRun: first, activeRuns: first ? [first, ...more] : [] })
    greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, running(5, { cast }), [v]), overlays(), seated)
    await drawn()
    return p
  }

  it('waits by name for a person, and is at work while an agent has a turn too', async () => {
    const other = await open(held('p2', 'Fiona'), ['ideator'])
    expect(row(other, 'c1').textContent).toContain('Process, waits for Fiona')
    expect(mark(other, 'c1')).toBe('mark state-waiting')
    expect(row(await open(held('p2', 'Fiona'), ['ideator', 'critic']), 'c1').textContent).toContain('at work')
  })

  it('is the turn of the person at this page', async () => {
    expect(row(await open(held('p1', 'Ann'), ['ideator']), 'c1').textContent).toContain('Process, your turn')
  })

  it('waits for somebody to take the role whose turn it is', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    const waiting: Waiting = { code: 'role_open', message: 'Nobody holds it.', roleIds: ['ideator'], since: AT }
    greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, running(5, { waiting }), [view({})]), overlays(), seated)
    await drawn()
    expect(row(p, 'c1').textContent).toContain('Process, waits for somebody to take a role')
  })
})

describe('a council', () => {
  const of = (memberId: string): ConversationView =>
    council({
      team: {
        ...TEAM,
        members: [{ ...member('p2', 'human', 0), displayName: 'Fiona' }, member('ideator', 'agent', 1)],
      },
      activeRuns: [run(memberId, 'k')],
      activeRun: run(memberId, 'k'),
    })

  it('waits by name for a person, and is at work while an agent has the turn', async () => {
    const p = await openConversations({ views: [of('p2'), chat()] })
    expect(row(p, 'k').textContent).toContain('Council, waits for Fiona')
    expect(mark(p, 'k')).toBe('mark state-waiting')
    expect(row(await openConversations({ views: [of('ideator')] }), 'k').textContent).toContain('Council, at work')
  })
})

describe('a party of one person', () => {
  const alone = {
    id: 'guild',
    name: 'The Guild',
    members: [{ ...member('host', 'human', 0), displayName: 'The Host' }],
  }
  const open = async (role: 'host' | 'spectator', newest = 'a') => {
    const p = await openPage(memoryStorage(KNOWN))
    const reason = 'Nobody was asked: [NEXT: name] at the end of a message asks somebody.'
    const messages = [message('a', { conversationId: 's1', memberId: 'host' })]
    const v = view({ conversationId: 's1', kind: 'party', title: 'The Guild', status: 'paused', team: alone })
    const w = running(50)
    const party = {
      ...w.party,
      teamId: 'guild',
      conversationId: 's1',
      status: 'paused' as const,
      waitingFor: 'host',
      newest,
    }
    greet(
      p.net.last,
      info({ role }),
      welcomeSnapshot(50),
      snapshot(50, { ...w, party }, [view(), { ...v, reason, messages }]),
      overlays(),
      { ...seated, role },
    )
    await drawn()
    await choose(p, 's1')
    return p
  }

  it('waits for a host, who speaks as that person', async () => {
    const p = await open('host')
    expect(row(p, 's1').textContent).toContain('Party, your turn')
    expect(find(p, 'party-standing').textContent).toContain('It waits for you. Nobody was asked: [NEXT: name]')
  })

  it('waits for any person before the first message, and is not called paused', async () => {
    const p = await open('host', '')
    expect(row(p, 's1').textContent).toContain('Party, waits for a person')
    expect(find(p, 'party-standing').textContent).toBe('Describe the task. A person speaks first.')
  })

  it('does not tell a spectator that it is their turn, nor how to speak', async () => {
    const p = await open('spectator')
    expect(row(p, 's1').textContent).toContain('Party, waits for')
    expect(row(p, 's1').textContent).not.toContain('your turn')
    expect(find(p, 'party-standing').textContent).toMatch(/^It waits for .*Host\.$/)
  })
})
