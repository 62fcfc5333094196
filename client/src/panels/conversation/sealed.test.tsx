// In a stage in which all work at once, a person with an open turn does not see the answers of the others.
import { describe, expect, it } from 'vitest'
import type { Casting, Stage } from '../../net/protocol.gen'
import { isSealed, sealedFor } from '../../state/sealed'
import { drawn, find, greet, has, KNOWN, openPage, type Page } from '../../testing/page'
import { AT, info, message, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../../testing/samples'
import { memoryStorage } from '../../testing/storages'

const OTHERS = [
  message('m1', { memberId: 'critic', name: 'Critic', content: 'The secret of the Critic.' }),
  message('m2', { role: 'tool', memberId: 'critic', name: 'Critic', tool: { name: 'look', input: 'deep' } }),
  message('m3', { role: 'user', memberId: 'judge', name: 'Ben', spectatorId: 'p2', content: 'The secret of Ben.' }),
  message('m4', { role: 'user', memberId: '', name: 'Cy', spectatorId: 'p3', content: 'Good luck to all.' }),
]

const turn = { conversationId: 'c1', requestId: 'q1', roleId: 'ideator', memberId: 'ideator', prompt: 'Go.' }

/** A page in a stage with three roles. Its person holds the role Ideator, if mine, and has its turn. */
async function atOnce({
  mine = true,
  structure = 'parallel',
}: { mine?: boolean; structure?: Stage['structure'] } = {}): Promise<Page> {
  const p = await openPage(memoryStorage(KNOWN))
  const cast: Casting[] = [
    { roleId: 'ideator', memberId: 'ideator', kind: 'human', spectatorId: mine ? 'p1' : 'p9' },
    { roleId: 'critic', memberId: 'critic', kind: 'agent' },
    { roleId: 'judge', memberId: 'judge', kind: 'human', spectatorId: 'p2' },
  ]
  const w = running(5, { cast })
  const t = w.processState.template!
  const roles = [...t.roles, { ...t.roles[0]!, id: 'judge', name: 'Judge' }]
  const stages = [{ ...t.stages[0]!, roles: roles.map((r) => r.id), structure, turns: 1 }]
  const processState = { ...w.processState, template: { ...t, roles, stages } }
  const plan = { waiting: null, asked: [turn] }
  const run = {
    conversationId: 'c1',
    requestId: 'q1',
    memberId: 'ideator',
    status: 'running' as const,
    startedAt: AT,
    lastActivityAt: AT,
    startSeq: 5,
  }
  const views = [view({ plan, activeRuns: [run], activeRun: run, messages: OTHERS })]
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, { ...w, processState }, views), overlays(), seated)
  await drawn()
  return p
}

const text = (p: Page) => find(p, 'transcript').textContent

describe('a stage in which all work at once', () => {
  it('hides the answers of others until the person has answered', async () => {
    const p = await atOnce()
    expect(find(p, 'sealed').textContent).toBe('2 answers are hidden until you have answered.')
    expect(text(p)).not.toContain('secret')
    expect(text(p)).not.toContain('look')
    expect(text(p)).toContain('Good luck to all.')
    p.net.last.say([
      {
        type: 'message.added',
        seq: 6,
        at: AT,
        conversationId: 'c1',
        message: message('m5', { role: 'user', name: 'Ann', spectatorId: 'p1', content: 'Mine.', requestId: 'q1' }),
      },
      { type: 'chat.done', seq: 7, at: AT, conversationId: 'c1', requestId: 'q1', memberId: 'ideator', status: 'done' },
    ])
    await drawn()
    expect(has(p, 'sealed')).toBe(false)
    for (const said of ['Mine.', 'The secret of the Critic.', 'The secret of Ben.']) expect(text(p)).toContain(said)
  })

  it('does not announce a hidden answer to a screen reader', async () => {
    const p = await atOnce()
    const late = message('m6', { memberId: 'critic', name: 'Critic', content: 'One more secret.' })
    p.net.last.say({ type: 'message.added', seq: 6, at: AT, conversationId: 'c1', message: late })
    await drawn()
    expect(find(p, 'conversation').textContent).not.toContain('One more secret.')
    expect(find(p, 'sealed').textContent).toContain('3 answers')
    expect(isSealed(sealedFor(p.app.model), late)).toBe(true)
  })

  it('hides nothing from people without an open turn, and nothing in other stages', async () => {
    expect(text(await atOnce({ mine: false }))).toContain('The secret of Ben.')
    expect(text(await atOnce({ structure: 'sequential' }))).toContain('The secret of Ben.')
  })
})
