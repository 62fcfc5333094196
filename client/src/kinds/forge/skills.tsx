// The list of the realm's skills.
import { useApp } from '../../panels/context'
import { Plain } from '../../panels/plain'
import type { RealmModel } from '../../state/model'
import { startForge, NAME } from './start-forge'
import { forgeWords } from './words'

export function Skills({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const w = forgeWords
  // A missing skill that no agent has is left out.
  const list = realm.world.skills
    .filter((s) => !s.missing || s.agents.length > 0)
    .sort((a, b) => a.name.localeCompare(b.name))
  const asked = app.pending.value.some(
    (p) => p.frame.type === 'conversation.start' && p.frame.kind === NAME && p.status !== 'refused',
  )
  const make = () => {
    startForge(app)
    app.conversations.shownCount.value++
  }
  return (
    <section class="skills" aria-label={w.skills} data-testid="skills">
      <header>
        <h3>{w.skills}</h3>
        {app.host.value && (
          <button type="button" class="small" data-testid="skill-make" disabled={asked} onClick={make}>
            {w.make}
          </button>
        )}
      </header>
      {list.length === 0 ? (
        <p class="quiet">
          {w.empty} {app.host.value ? w.emptyNext : w.emptySpectator}
        </p>
      ) : (
        <ul>
          {list.map((s) => (
            <li key={s.name}>
              <button
                type="button"
                class="skill-row"
                data-testid={`skill-${s.name}`}
                aria-label={w.open(s.name)}
                onClick={() => (app.conversations.skill.value = s.name)}
              >
                <code>{s.name}</code>
                <span class="quiet skill-given">{w.given(s.agents.length)}</span>
                <span class="skill-about">{s.missing ? w.missing : <Plain text={s.description} />}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
