// The teams to choose from, or that there is none, or that they are not here yet.
import type { TeamInfo } from '../../net/protocol.gen'
import { TeamRows } from './team-rows'
import { Waiting } from './teams-waiting'
import { partyWords } from './words'

interface Props {
  /** null before they are here. */
  teams: readonly TeamInfo[] | null
  chosen: TeamInfo | null
  onPick: (id: string) => void
}

export function Teams({ teams, chosen, onPick }: Props) {
  if (teams === null) return <Waiting />
  if (teams.length === 0) return <p>{partyWords.none}</p>
  return <TeamRows teams={teams} chosen={chosen} onPick={onPick} />
}
