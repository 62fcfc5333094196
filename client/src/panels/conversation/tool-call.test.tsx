// The row of a call that has started a sub-agent: the call returns at once, and the sub-agent works on.
import { render } from 'preact'
import { describe, expect, it } from 'vitest'
import type { Agent, AgentState, Message, Session, World } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { row } from '../../testing/conversation-page'
import { AT, running } from '../../testing/samples'
import { ToolCall } from './tool-call'

const PARENT = 'claude:s1'

const call = (name: string, content: string, over: Partial<Message> = {}): Message =>
  row('m1', { role: 'tool', status: 'done', memberId: PARENT, content, tool: { name, input: '{}' }, ...over })

/** A world in which the sub-agent with this id has a state; without a state it has left the map. */
function world(sessionId: string, state?: Partial<AgentState>): World {
  const session: Session = {
    program: 'claude',
    sessionId,
    agentId: `claude:${sessionId}`,
    parent: PARENT,
    conversationId: 'private-c2',
    position: '{}',
  }
  const hero: Agent = {
    id: session.agentId,
    name: 'sub',
    displayName: 'sub',
    kind: 'agent',
    role: 'coder',
    color: '#4fb8a3',
    status: 'running',
    x: 0,
    y: 0,
    realm: '',
    state: { state: 'working', source: 'transcript', since: AT, ...state },
  }
  return { ...running(5), sessions: [session], agents: state ? [hero] : [] }
}

function status(w: World, m: Message): string | null | undefined {
  const root = document.createElement('div')
  render(<ToolCall message={m} input="{}" realm={{ world: w } as RealmModel} view={null} />, root)
  const text = root.querySelector('.tool-status')?.textContent
  render(null, root) // a row whose call runs has a clock
  return text
}

describe('the row of a call that started a sub-agent', () => {
  const launched = 'Async agent launched successfully.\nagentId: a54ef426697f5d482 (internal ID)'
  const at = 's1/agent-a54ef426697f5d482'

  it('says that it is started as long as the sub-agent works', () => {
    expect(status(world(at, {}), call('Agent', launched))).toBe('started')
    expect(status(world(at, { state: 'waiting', wait: 'permission' }), call('Task', launched))).toBe('started')
    expect(status(world(at), call('Agent', launched))).toBe('done')
    expect(status(world(at, { state: 'lost' }), call('Agent', launched))).toBe('done')
  })

  it('knows the sub-agents of Codex, which stay when they are done', () => {
    const spawned = call('multi_agent_v1.spawn_agent', '{"agent_id":"01a209fd-9105","nickname":"Dewey"}')
    expect(status(world('01a209fd-9105', {}), spawned)).toBe('started')
    expect(status(world('01a209fd-9105', { state: 'waiting', wait: 'turn' }), spawned)).toBe('done')
    expect(status(world('01a209fd-9105', { state: 'idle' }), spawned)).toBe('done')
  })

  it('is not confused with another call, and says when it failed or still runs', () => {
    expect(status(world('s1/agent-b', {}), call('Agent', 'agentId: a54'))).toBe('done')
    expect(status(world(at, {}), call('Bash', launched))).toBe('done')
    expect(status(world(at, {}), call('Agent', launched, { status: 'error' }))).toBe('failed')
    expect(status(world(at, {}), call('Agent', '', { status: 'open' }))).toBe('runs')
    expect(status(world(at, {}), call('Agent', launched, { memberId: 'claude:s2' }))).toBe('done')
  })
})

describe('the row of a call', () => {
  const name = (tool: string) => {
    const root = document.createElement('div')
    render(
      <ToolCall message={call(tool, '')} input="{}" realm={{ world: running(5) } as RealmModel} view={null} />,
      root,
    )
    const { textContent, title } = root.querySelector<HTMLElement>('.tool-name')!
    return [textContent, title]
  }

  it('says what it does in the same words for every program, and has the own name of the tool in its tooltip', () => {
    expect(name('Bash')).toEqual(['Runs a command', 'Bash'])
    expect(name('exec_command')).toEqual(['Runs a command', 'exec_command'])
    expect(name('mcp__dungeon__say')).toEqual(['mcp__dungeon__say', 'mcp__dungeon__say'])
  })
})
