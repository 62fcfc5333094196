// How a question ended, as text: the answer and who gave it.
import { useCallback } from 'preact/hooks'
import type { AgentDoor } from '../net/protocol.gen'
import { doorsWords } from '../words-doors'
import { useApp } from './context'
import { useSelect } from './use-select'

export function useOutcome(): (door: AgentDoor) => string {
  const app = useApp()
  const people = useSelect(() => app.model.spectators.list, [app])
  const me = useSelect(() => app.model.me?.spectatorId ?? '', [app])
  return useCallback(
    ({ outcome = '', by, name: then, always = '' }: AgentDoor) => {
      const name = by && by === me ? doorsWords.you : (people.find((s) => s.spectatorId === by)?.name ?? then ?? '')
      const how = doorsWords.by(doorsWords.outcomes[outcome] ?? outcome, name)
      return outcome === 'always' ? doorsWords.fromNowOn(how, always) : how
    },
    [people, me],
  )
}
