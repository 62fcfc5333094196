// Gives a finding as a task to a coding agent in a terminal that can receive messages (P17.14).
import { useState } from 'preact/hooks'
import type { App } from '../app'
import { findingTask } from '../files/markdown'
import type { Finding } from '../net/protocol.gen'
import { heroName, isGuest } from '../state/select'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'
import { useSelect } from './use-select'

interface Taker {
  id: string
  name: string
}

export function FindingToAgent({ finding }: { finding: Finding }) {
  const app = useApp()
  const w = viewerWords.act
  const takers = useSelect(() => takersOf(app), [app])
  const [given, setGiven] = useState('')
  if (takers.length === 0) return null
  const give = (id: string) => {
    const to = takers.find((t) => t.id === id)
    if (to && app.send({ type: 'agent:tell', agentId: id, text: findingTask(finding) }).ok) setGiven(to.name)
  }
  return (
    <>
      <select
        class="small"
        aria-label={w.agent}
        data-testid="finding-agent"
        value=""
        onChange={(e) => {
          give(e.currentTarget.value)
          e.currentTarget.value = ''
        }}
      >
        <option value="">{w.agent}</option>
        {takers.map((t) => (
          <option key={t.id} value={t.id}>
            {t.name}
          </option>
        ))}
      </select>
      {given !== '' && (
        <span class="quiet meta" role="status" data-testid="finding-given">
          {w.given(given)}
        </span>
      )}
    </>
  )
}

/** The agents on the map that can receive messages. Only the person who runs the server gets any. */
function takersOf({ model }: App): readonly Taker[] {
  const { realm, me } = model
  if (realm === null || me === null || isGuest(model)) return []
  const { agents, sessions = [] } = realm.world
  return sessions
    .filter((s) => s.hears && s.parent === undefined)
    .flatMap((s) => agents.filter((a) => a.id === s.agentId).map((a) => ({ id: a.id, name: heroName(realm, a) })))
}
