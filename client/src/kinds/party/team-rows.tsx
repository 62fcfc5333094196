// The teams to choose from, with the members of the chosen one.
import type { TeamInfo } from '../../net/protocol.gen'
import { Shield } from '../../panels/shield'
import { join, plural } from '../../words'
import { partyWords } from './words'

interface Props {
  teams: readonly TeamInfo[]
  chosen: TeamInfo | null
  onPick: (id: string) => void
}

export function TeamRows({ teams, chosen: team, onPick }: Props) {
  const w = partyWords
  return (
    <ul class="teams" role="radiogroup" aria-label={w.choose}>
      {teams.map((t) => (
        <li key={t.id} role="none">
          <label class={t === team ? 'team team-chosen' : 'team'} data-testid={`team-${t.id}`}>
            <input type="radio" name="team" value={t.id} checked={t === team} onChange={() => onPick(t.id)} />
            <span class="team-name">
              {t.name}{' '}
              <span class="quiet">
                {inTeam(t)}, {w.sessions(t.sessions.length)}
              </span>
            </span>
            {t === team && (
              <span class="team-members">
                {t.members.map((m) => (
                  <span key={m.id} class="team-member">
                    <Shield id={m.id} name={m.displayName || m.name} color={m.color} open={m.type === 'human'} />
                    {m.displayName || m.name} <span class="quiet">{m.type === 'human' ? w.human : w.agent}</span>
                  </span>
                ))}
              </span>
            )}
          </label>
        </li>
      ))}
    </ul>
  )
}

/** The numbers of people and agents in a team as text, such as "3 people and 2 agents". */
function inTeam(team: { members: readonly { type: string; displayName: string; name: string }[] }): string {
  const people = team.members.filter((m) => m.type === 'human').length
  return join([plural(people, 'person', 'people'), plural(team.members.length - people, 'agent')])
}
