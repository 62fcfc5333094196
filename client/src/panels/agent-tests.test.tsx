// The mark of a failed test run, in the agent's line and over its hero.
import { render } from 'preact'
import { expect, it } from 'vitest'
import type { AgentState } from '../net/protocol.gen'
import { HeroesNow } from '../map/canvas/heroes-now'
import { Standers } from '../map/canvas/slots'
import { Spoken } from '../map/canvas/spoken'
import { WalkClock } from '../map/canvas/walking'
import { drawn, find, greet, KNOWN, openPage } from '../testing/page'
import { AT, info, overlays, running, seated, snapshot, welcomeSnapshot } from '../testing/samples'
import { memoryStorage } from '../testing/storages'
import { AgentTests } from './agent-tests'

const state: AgentState = { state: 'working', source: 'status', since: AT, testsFailed: AT }

it('says that the tests failed, until a later run passes', async () => {
  const p = await openPage(memoryStorage(KNOWN))
  const agents = [{ ...running(5).agents[0]!, id: 'claude:a', displayName: 'Claude Code', state }]
  greet(p.net.last, info({}), welcomeSnapshot(5), snapshot(5, { ...running(5), agents }), overlays(), seated)
  await drawn()
  const marked = () => {
    const known = { clock: new WalkClock(), slots: new Standers(), spoken: new Spoken() }
    return new HeroesNow(known).at(p.app.model.realm!, 0, true).map((h) => h.failed)
  }
  const says = () => find(p, 'other-claude:a').textContent
  expect([says()?.includes('tests failed '), marked()]).toEqual([true, [true]])
  const { testsFailed: _, ...passed } = state
  const of = { type: 'agent:state', at: AT, agentId: 'claude:a', conversationId: 'private-c' } as const
  p.net.last.say({ ...of, seq: 6, ...passed })
  await drawn()
  expect([says()?.includes('tests failed '), marked()]).toEqual([false, [false]])
  p.net.last.say({ ...of, seq: 7, ...state })
  await drawn()
  expect([says()?.includes('tests failed '), marked()]).toEqual([true, [true]])
})

it('says how long ago', () => {
  const at = document.createElement('div')
  render(<AgentTests failed={new Date(Date.now() - 150_000).toISOString()} />, at)
  expect(at.textContent).toBe('tests failed 2 min ago')
  render(null, at) // so that it follows the time no more
})
