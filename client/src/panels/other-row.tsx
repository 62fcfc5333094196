// A row of the roster for an agent without a role in the process, with the list of its sub-agents below it.
import type { ComponentChildren } from 'preact'
import type { RealmModel } from '../state/model'
import { isHeld, type OtherAgent } from '../state/roster'
import { agentsWords } from '../words-agents'
import { heroDoing } from '../words-hero'
import { AgentCost } from './agent-cost'
import { AgentDoing } from './agent-doing'
import { useApp } from './context'
import { FollowButton } from './follow-button'
import { Shield } from './shield'

interface Props {
  agent: OtherAgent
  realm: RealmModel
  children?: ComponentChildren
}

export function OtherRow({ agent: a, realm, children }: Props) {
  const app = useApp()
  const { conversationId: id } = a
  return (
    <li>
      <div class={isHeld(a) ? 'seat seat-held' : 'seat'} data-testid={`other-${a.id}`}>
        <Shield id={a.id} name={a.name} color={a.color} />
        <span class="seat-text">
          <span class="seat-head">
            {id ? (
              <button
                type="button"
                class="link seat-name"
                title={agentsWords.open}
                data-testid={`open-${a.id}`}
                onClick={() => app.conversations.choose(id)}
              >
                {a.name}
              </button>
            ) : (
              <span class="seat-name">{a.name}</span>
            )}
            <FollowButton realm={realm} id={a.id} name={a.name} />
          </span>
          {a.title && (
            <span class="quiet seat-title" title={a.title}>
              {a.title}
            </span>
          )}
          {a.state ? (
            <>
              <AgentDoing id={a.id} state={a.state} />
              <AgentCost realm={realm} id={a.id} />
            </>
          ) : (
            <span class="quiet">{heroDoing(a)}</span>
          )}
        </span>
      </div>
      {children}
    </li>
  )
}
