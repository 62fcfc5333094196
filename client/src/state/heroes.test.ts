// The heroes on the map.
import { expect, it } from 'vitest'
import type { AgentState } from '../net/protocol.gen'
import { running } from '../testing/samples'
import { heroesOf } from './heroes'

it('are the agents without those whose program has died', () => {
  const w = running(5)
  const coder = (id: string, state: AgentState['state']) => ({
    ...w.agents[0]!,
    id,
    state: { state, source: 'lock', since: null } as AgentState,
  })
  const agents = [...w.agents, coder('claude:a', 'lost'), coder('claude:b', 'idle')]
  const ids = heroesOf({ ...w, agents }).map((a) => a.id)
  expect(ids).toContain('claude:b')
  expect(ids).not.toContain('claude:a')
  expect(heroesOf(w)).toEqual(expect.arrayContaining(w.agents))
})
