// The link that opens a chat about a finished stage: with the agent that made the artifact or, if no driver plays that
// agent, with another agent that a driver plays.
import type { Artifact } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import { playedAgents } from '../../state/conversations'
import { openChat } from './open-chat'
import { chatWords } from './words'

export function AboutStage({ realm, artifact: a }: { realm: RealmModel; artifact: Artifact }) {
  const app = useApp()
  const p = realm.world.processState
  const at = p.template?.stages.findIndex((s) => s.id === a.stageId) ?? -1
  const stage = p.template?.stages[at]
  const agents = playedAgents(app.model)
  const own = (p.collectedArtifacts[a.name] ?? []).includes(a.id)
  const agent = agents.find((x) => x.id === a.agentId) ?? agents.find((x) => stage?.roles.includes(x.id)) ?? agents[0]
  if (!app.host.value || !own || !stage || !agent || (p.status !== 'completed' && at >= p.currentStageIndex))
    return null
  return (
    <p>
      <button type="button" class="link" data-testid="talk-about" onClick={() => openChat(app, agent.id, stage.id)}>
        {chatWords.aboutStage}
      </button>
    </p>
  )
}
