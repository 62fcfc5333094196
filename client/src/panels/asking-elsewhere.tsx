// A coding agent that waits for a person and can be answered only in its own terminal: what for, and where.
import type { Agent } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { sessionOf, titleOf } from '../state/roster'
import { heroName } from '../state/select'
import { agentSource, agentWords } from '../words-agents'
import { AgentAge } from './agent-age'
import { AnswerElsewhere } from './answer-elsewhere'
import { SessionLink } from './session-link'
import { StateMark } from './state-mark'

export function AskingElsewhere({ realm, agent: a }: { realm: RealmModel; agent: Agent }) {
  const session = sessionOf(realm, a.id)
  const name = heroName(realm, a)
  const title = titleOf(realm, session)
  if (!a.state) return null
  return (
    <li class="agent-door" data-testid="asking-elsewhere" data-agent={a.id}>
      <p class="agent-door-line">
        <StateMark state="waiting" />
        <strong>{name}</strong>
        <span title={agentSource(a.state)}>{agentWords(a.state, true, realm.world.realm.path)}</span>
        <AgentAge since={a.state.since} />
        {title && (
          <span class="quiet agent-door-title" title={title}>
            {title}
          </span>
        )}
      </p>
      <div class="agent-door-answer">
        <AnswerElsewhere id={a.id} />
        {session && <SessionLink id={session} name={name} />}
      </div>
    </li>
  )
}
