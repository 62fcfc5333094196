// The card that asks a person for a turn has the whole task, and gives the rest little space.
import { describe, expect, it } from 'vitest'
import type { Ask, Waiting } from '../net/protocol.gen'
import { drawn, find, greet, has, KNOWN, openPage } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { taskOf } from './task-of'

const GOAL = 'Find many. Give at least eight a turn.\nIn the last turn give the whole list.'

const ask = (prompt: string): Ask => ({
  conversationId: 'c1',
  requestId: 'q1',
  roleId: 'ideator',
  memberId: 'ideator',
  prompt,
})

interface Wanted {
  layout?: 'desk' | 'phone'
  waiting?: Waiting | null
}

/** A page whose person holds the Ideator, in a stage with the goal GOAL that may also wait for something. */
async function myTurn(prompt: string, { layout, waiting = null }: Wanted = {}) {
  const p = await openPage(memoryStorage(KNOWN), undefined, layout)
  const w = running(5, {
    cast: [
      { roleId: 'ideator', memberId: 'ideator', kind: 'human', spectatorId: 'p1' },
      { roleId: 'critic', memberId: 'critic', kind: 'open' },
    ],
    waiting,
  })
  const t = w.processState.template!
  const template = { ...t, stages: t.stages.map((s) => ({ ...s, goal: GOAL })) }
  const world = { ...w, processState: { ...w.processState, template } }
  const views = [view({ plan: { waiting, asked: [ask(prompt)] } })]
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, world, views), overlays(), seated)
  await drawn()
  return p
}

describe('the card of a turn', () => {
  it('shows the whole goal of the stage, and then what the turn asks', async () => {
    const p = await myTurn('Find many. Answer as the Ideator (turn 1 of 2).')
    expect(find(p, 'asked-task').textContent).toBe(`${GOAL} Answer as the Ideator (turn 1 of 2).`)
    expect(find(p, 'asked-task').querySelector('button')).toBeNull()
  })

  it('has the problem before the task and what the role does behind it', async () => {
    const p = await myTurn('Find many. Answer as the Ideator.')
    const text = find(p, 'my-turn').querySelector('.asked-text')!
    expect([...text.children].map((e) => e.getAttribute('data-testid'))).toEqual([
      'asked-problem',
      'asked-task',
      'asked-persona',
    ])
    for (const id of ['asked-problem', 'asked-persona']) expect(find(p, id).querySelector('.clamp')).not.toBeNull()
  })

  it('leaves one line of what else the process waits for on a phone, which a click unfolds', async () => {
    const waiting: Waiting = { code: 'role_open', message: 'Nobody plays the Critic.', roleIds: ['critic'], since: AT }
    const p = await myTurn('Find many. Answer as the Ideator.', { layout: 'phone', waiting })
    expect(find(p, 'waiting').textContent).not.toContain('Nobody plays')
    expect(has(p, 'waiting-skip')).toBe(false)
    find(p, 'waiting-more').click()
    await drawn()
    expect(find(p, 'waiting').textContent).toContain('Nobody plays')
    expect(has(p, 'waiting-skip')).toBe(true)
    const desk = await myTurn('Find many. Answer as the Ideator.', { waiting })
    expect(has(desk, 'waiting-skip')).toBe(true)
  })
})

it('the task is the goal with what the prompt adds; a prompt of another form stays whole', () => {
  expect(taskOf('One. Two.', 'One. Answer.')).toBe('One. Two. Answer.')
  expect(taskOf('One\ntwo. Three.', 'One Answer.')).toBe('One\ntwo. Three. Answer.')
  expect(taskOf('One. Two.', 'Say eight.')).toBe('One. Two. Say eight.')
  expect(taskOf('', 'Say eight.')).toBe('Say eight.')
  expect(taskOf('One. Two.', '')).toBe('One. Two.')
  expect(taskOf('Find many ideas. Two.', 'Find man… Answer.')).toBe('Find many ideas. Two. Answer.')
  expect(taskOf('One… two. Three.', 'One… two. Answer.')).toBe('One… two. Three. Answer.')
  expect(taskOf('Find many ideas. Two.', 'Say… Answer.')).toBe('Find many ideas. Two. Say… Answer.')
})
