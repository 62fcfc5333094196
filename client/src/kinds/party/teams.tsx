// The teams to choose from, or why there are none.
import type { TeamInfo } from '../../net/protocol.gen'
import { TeamRows } from './team-rows'
import { Waiting } from './teams-waiting'
import { partyWords } from './words'

interface Props {
  /** The teams as listed by the server; null until the list arrives. */
  teams: readonly TeamInfo[] | null
  chosen: TeamInfo | null
  onPick: (id: string) => void
}

export function Teams({ teams, chosen, onPick }: Props) {
  if (teams === null) return <Waiting />
  if (teams.length === 0) return <p>{partyWords.none}</p>
  return <TeamRows teams={teams} chosen={chosen} onPick={onPick} />
}
