// How many coding agents are in the realm that this page watches, before a person enters it.
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import { isHeld, isRunning } from '../state/roster'
import { agentsWords } from '../words-agents'

export function RealmAgents({ id }: { id: string }) {
  const app = useApp()
  const text = useSelect(() => {
    const realm = app.model.realm
    if (realm?.id !== id) return ''
    const coders = realm.world.agents.filter(isRunning)
    return agentsWords.here(
      coders.length,
      coders.filter((a) => isHeld({ ...(a.state ? { state: a.state } : {}) })).length,
    )
  }, [app, id])
  if (!text) return null
  return (
    <span class="realm-agents" data-testid="realm-agents">
      {text}
    </span>
  )
}
