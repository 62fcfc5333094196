// The stage bar says in few words what the stage is and who is at work.
import { describe, expect, it } from 'vitest'
import { drawn, find, greet, KNOWN, openPage } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, view, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { firstSentence } from './cut'

it('the first sentence ends at its stop, and a text without one is whole', () => {
  expect(firstSentence('Read v1.2 of it. Then write.')).toBe('Read v1.2 of it.')
  expect(firstSentence('Is it?\nYes.')).toBe('Is it?')
  expect(firstSentence('Decide.')).toBe('Decide.')
  expect(firstSentence('go on')).toBe('go on')
})

/** A page whose stage has the goal, and the given number of members with these names at work. */
async function staged(goal: string, names: string[]) {
  const p = await openPage(memoryStorage(KNOWN))
  const w = running(5)
  const t = w.processState.template!
  const roles = names.map((name, i) => ({ ...t.roles[0]!, id: `r${i}`, name }))
  const stages = [{ ...t.stages[0]!, goal, roles: roles.map((r) => r.id), structure: 'parallel' as const }]
  const cast = roles.map((r) => ({ roleId: r.id, memberId: r.id, kind: 'agent' as const }))
  const processState = { ...w.processState, template: { ...t, roles, stages }, currentStageIndex: 0, cast }
  greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, { ...w, processState }, [view()]), overlays(), seated)
  p.net.last.say(
    roles.map(({ id }, i) => ({
      type: 'chat.started' as const,
      seq: 6 + i,
      at: AT,
      conversationId: 'c1',
      requestId: `q${i}`,
      memberId: id,
      status: 'running' as const,
    })),
  )
  await drawn()
  return p
}

describe('the stage bar', () => {
  it('names few members and has their number for where their names do not fit', async () => {
    const says = find(await staged('Go.', ['Ann', 'Bob']), 'stage-bar').querySelector('.who-says')!
    expect(says.querySelector('.who-names')!.textContent).toBe('Working: Ann and Bob')
    expect(says.querySelector('.who-count')!.textContent).toBe('2 at work')
  })

  it('says that it is the turn of the person at this page', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    const cast = [{ roleId: 'ideator', memberId: 'ideator', kind: 'human' as const, spectatorId: 'p1' }]
    const plan = {
      waiting: null,
      asked: [{ conversationId: 'c1', requestId: 'q1', roleId: 'ideator', memberId: 'ideator', prompt: '' }],
    }
    const w = running(5, { cast })
    greet(p.net.last, info(), welcomeSnapshot(5), snapshot(5, w, [view({ plan })]), overlays(), seated)
    await drawn()
    expect(find(p, 'stage-bar').querySelector('.who-names')?.textContent).toBe('Your turn as Ideator')
    expect(find(p, 'stage-bar').querySelector('.who-count')?.textContent).toBe('Your turn')
  })

  it('names the person for whom others wait', async () => {
    const p = await openPage(memoryStorage(KNOWN))
    const cast = [{ roleId: 'ideator', memberId: 'ideator', kind: 'human' as const, spectatorId: 'p2', name: 'Ben' }]
    const plan = {
      waiting: null,
      asked: [{ conversationId: 'c1', requestId: 'q1', roleId: 'ideator', memberId: 'ideator', prompt: '' }],
    }
    greet(
      p.net.last,
      info(),
      welcomeSnapshot(5),
      snapshot(5, running(5, { cast }), [view({ plan })]),
      overlays(),
      seated,
    )
    await drawn()
    expect(find(p, 'stage-bar').querySelector('.who-names')?.textContent).toBe('Waiting for Ben as Ideator')
    expect(find(p, 'stage-bar').querySelector('.who-count')?.textContent).toBe('Waiting for Ben')
  })

  it('counts many, and names them on hover', async () => {
    const many = ['Architect', 'Archaeologist', 'Cartographer', 'Alchemist', 'Sentinel']
    const says = find(await staged('Go.', many), 'stage-bar').querySelector<HTMLElement>('.who-says')!
    expect(says.textContent).toBe('5 at work')
    expect(says.title).toContain('Architect, Archaeologist, Cartographer, Alchemist and Sentinel')
  })

  it('shows the first sentence of the goal', async () => {
    const goal = find(await staged('Read widely. Then write it all down.', ['Ann']), 'stage-bar').querySelector(
      '.goal',
    )!
    expect(goal.textContent).toBe('Read widely.')
    expect(goal.hasAttribute('data-more')).toBe(true)
  })
})

describe('the box of a process that waits for roles', () => {
  async function waits(roleIds: string[]) {
    const p = await openPage(memoryStorage(KNOWN))
    const cast = ['ideator', 'critic'].map((id) => ({ roleId: id, memberId: id, kind: 'open' as const }))
    const waiting = { code: 'role_open' as const, message: 'Nobody holds them.', since: AT, roleIds }
    const host = info({ role: 'host' })
    greet(p.net.last, host, welcomeSnapshot(5), snapshot(5, running(5, { cast, waiting }), [view()]), overlays(), {
      ...seated,
      role: 'host',
    })
    await drawn()
    const buttons = [...find(p, 'waiting').querySelectorAll('button')]
    return { p, buttons, labels: buttons.map((b) => b.textContent) }
  }

  it('has a button for each, and one that skips them all', async () => {
    const { p, buttons, labels } = await waits(['ideator', 'critic'])
    expect(labels).toEqual(['Ideator', 'Critic', 'Skip all'])
    expect(buttons[1]!.getAttribute('aria-label')).toBe('Take the role Critic')
    expect(find(p, 'waiting').textContent).not.toContain('Nobody holds them.')
    buttons[1]!.click()
    expect(p.net.last.ofType('process:take-role')).toMatchObject([{ roleId: 'critic' }])
    expect(document.activeElement).toBe(find(p, 'prompt'))
  })

  it('says of one what can be done', async () => {
    const { p, labels } = await waits(['critic'])
    expect(labels).toEqual(['Take the role Critic', 'Skip'])
    expect(find(p, 'waiting').textContent).toContain('Nobody holds them.')
  })
})
