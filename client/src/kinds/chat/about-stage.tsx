// A chat about a stage that is over: with whoever made its artifact, where something plays them.
import type { Artifact } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import type { RealmModel } from '../../state/model'
import { playable } from '../../state/talks'
import { talkTo } from './talk-to'
import { chatWords } from './words'

export function AboutStage({ realm, artifact: a }: { realm: RealmModel; artifact: Artifact }) {
  const app = useApp()
  const p = realm.world.processState
  const at = p.template?.stages.findIndex((s) => s.id === a.stageId) ?? -1
  const stage = p.template?.stages[at]
  const agents = playable(app.model)
  const own = (p.collectedArtifacts[a.name] ?? []).includes(a.id)
  const agent = agents.find((x) => x.id === a.agentId) ?? agents.find((x) => stage?.roles.includes(x.id)) ?? agents[0]
  if (!app.host.value || !own || !stage || !agent || (p.status !== 'completed' && at >= p.currentStageIndex))
    return null
  return (
    <p>
      <button type="button" class="link" data-testid="talk-about" onClick={() => talkTo(app, agent.id, stage.id)}>
        {chatWords.aboutStage}
      </button>
    </p>
  )
}
