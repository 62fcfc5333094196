// What the box of a council says to a person who has no turn.
import { describe, expect, it } from 'vitest'
import { choose, council, openConversations } from '../../testing/conversation-page'
import { AT } from '../../testing/samples'
import { drawn, find, has, type Page } from '../../testing/page'

const heard = (p: Page) => find(p, 'council-heard').textContent
const turn = (n: number) => ({ stageId: 'rounds', roleId: 'ideator', attempt: 1, n })

describe('a council', () => {
  it('says who hears a person without a turn, and when nobody does any more', async () => {
    const plan = { waiting: null, asked: [], turns: 2, maxTurns: 4 }
    const p = await openConversations({ views: [council({ plan })] })
    await choose(p, 'k')
    expect(heard(p)).toContain('members hear it at their next turn.')
    const run = { conversationId: 'k', memberId: 'ideator' }
    const say = (frame: object) => p.net.last.say({ at: AT, ...run, ...frame })
    say({ type: 'chat.started', seq: 51, requestId: 'q3', status: 'running', turn: turn(3) })
    await drawn()
    expect(heard(p)).toContain('members hear it at their next turn.')
    say({ type: 'chat.done', seq: 52, requestId: 'q3', turn: { ...turn(3), stageTurns: 3, memberTurns: 2 } })
    say({ type: 'chat.started', seq: 53, requestId: 'q4', status: 'running', turn: turn(4) })
    await drawn()
    expect(heard(p)).toBe('The last turn is under way. No agent hears what is said now.')
  })

  it('cannot be paused while it is queued, because nothing runs in it', async () => {
    const p = await openConversations({ views: [council({ status: 'queued' })] })
    await choose(p, 'k')
    expect([has(p, 'talk-pause'), has(p, 'talk-abort')]).toEqual([false, true])
  })
})
