// A button for each agent that can get the skill; the button is pressed if the agent has the skill.
import { useState } from 'preact/hooks'
import type { Skill } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { Shield } from '../../panels/shield'
import { StateMark } from '../../panels/state-mark'
import { Refusals } from '../../panels/refusals'
import { skillRecipients } from '../../state/conversations'
import { forgeWords } from './words'

export function Give({ skill }: { skill: Skill }) {
  const app = useApp()
  const w = forgeWords
  const agents = skill.missing ? [] : skillRecipients(app.model)
  // An agent that has the skill has a button even after it left the realm, so that a host can take the skill away.
  // Agents that had the skill when the dialog opened come first, so that a person sees them without scrolling.
  const [had] = useState(() => new Set(skill.agents))
  const all = [
    ...agents,
    ...skill.agents.filter((id) => !agents.some((a) => a.id === id)).map((id) => ({ id, name: id, color: '' })),
  ].sort((a, b) => Number(had.has(b.id)) - Number(had.has(a.id)))
  if (!app.host.value) return <p class="quiet">{w.given(skill.agents.length)}</p>
  if (all.length === 0) return <p class="quiet">{w.noAgents}</p>
  return (
    <div class="give" role="group" aria-label={w.giveWhom(skill.name)}>
      <span class="quiet">
        {w.giveTo} <span class="visually-hidden">{w.giveHint}</span>
      </span>
      {all.map((a) => {
        const has = skill.agents.includes(a.id)
        const asked = app.pending.value.some(
          (p) =>
            p.frame.type === 'skill:give' &&
            p.frame.name === skill.name &&
            p.frame.agentId === a.id &&
            p.status !== 'refused',
        )
        return (
          <button
            key={a.id}
            type="button"
            class="chip-button"
            aria-pressed={has}
            disabled={asked}
            title={has ? w.hasIt(a.name) : w.give(a.name)}
            data-testid={`give-${a.id}`}
            onClick={() =>
              app.send({ type: 'skill:give', name: skill.name, agentId: a.id, ...(has ? { taken: true } : {}) })
            }
          >
            <Shield id={a.id} name={a.name} color={a.color} />
            {a.name}
            {has && <StateMark state="done" />}
          </button>
        )
      })}
      <Refusals only={['skill:give']} />
    </div>
  )
}
