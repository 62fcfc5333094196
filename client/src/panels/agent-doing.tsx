// What a coding agent does: its state, for how long it is in that or its call runs, and its file. The tooltip says how
// the state is known.
import type { AgentState } from '../net/protocol.gen'
import { callSince, isHeld } from '../state/roster'
import { worktreeOf } from '../state/touches'
import { agentFile, agentSource, agentWords } from '../words-agents'
import { AgentAge } from './agent-age'
import { AgentTests } from './agent-tests'
import { useApp } from './context'
import { StateMark, type State } from './state-mark'
import { usePart } from './use-select'

const MARK: Record<string, State> = {
  working: 'running',
  waiting: 'waiting',
  shell: 'open',
  idle: 'open',
  ended: 'done',
  lost: 'interrupted',
}

/** A state whose words are longer than this number of characters is shown with its first lines only. */
const LONG = 60

export function AgentDoing({ id, state: s }: { id: string; state: AgentState }) {
  const app = useApp()
  const { realm } = app.model
  // The state of a program can be as old as the turn, and is then older than the call that it names.
  const call = usePart(() => (realm && s.state === 'working' && s.reason ? callSince(realm, id) : ''), [realm, id, s])
  const worktree = usePart(() => (realm && s.path ? worktreeOf(realm.world, id, s.path) : ''), [realm, id, s])
  const file = agentFile(s, worktree)
  const words = agentWords(s, app.host.value, realm?.world.realm.path)
  return (
    <span
      class="agent-doing"
      data-testid="agent-doing"
      data-state={s.state}
      data-source={s.source}
      title={agentSource(s)}
    >
      <span class={isHeld({ state: s }) ? 'agent-state agent-held' : 'agent-state'}>
        <StateMark state={MARK[s.state] ?? 'open'} />
        <span>
          <span class={words.length > LONG ? 'agent-reason' : undefined}>{words}</span>
          <AgentAge since={call || s.since} />
        </span>
      </span>
      {s.testsFailed && <AgentTests failed={s.testsFailed} />}
      {file && (
        <span class="quiet agent-file" title={file}>
          {file}
        </span>
      )}
    </span>
  )
}
