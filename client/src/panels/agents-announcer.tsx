// Announces each coding agent that begins to wait for a person. Those that waited before the page was opened are not
// announced.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { isHeld } from '../state/roster'
import { agentsWords, agentWords } from '../words-agents'
import { useApp } from './context'
import { useSelect } from './use-select'

export function AgentsAnnouncer({ realm }: { realm: RealmModel }) {
  const host = useApp().host.value
  const held = useSelect(
    () =>
      realm.world.agents.flatMap(({ id, displayName, state }) =>
        state && isHeld({ state })
          ? [
              {
                key: `${id} ${state.since}`,
                text: agentsWords.announced(displayName, agentWords(state, host, realm.world.realm.path)),
              },
            ]
          : [],
      ),
    [realm, host],
  )
  const known = useRef<ReadonlySet<string> | null>(null)
  const [said, setSaid] = useState('')
  useEffect(() => {
    const before = known.current
    known.current = new Set(held.map((h) => h.key))
    if (before === null) return
    const fresh = held.filter((h) => !before.has(h.key))
    if (fresh.length > 0) setSaid(fresh.map((h) => h.text).join('. '))
    else if (held.length === 0) setSaid('')
  }, [held])
  return (
    <div class="visually-hidden" role="status" data-testid="agents-announcer">
      {said}
    </div>
  )
}
