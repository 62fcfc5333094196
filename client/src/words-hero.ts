// What a hero does, in the same words on the roster, its card, the map and the list. Names and colours come from
// state/select.ts.
import type { Agent } from './net/protocol.gen'
import type { Seat } from './state/roster'
import { activityWord, facts, words } from './words'

type Doing = Pick<Agent, 'activity'> & { status: string; target?: string }

/**
 * What a hero does: the file that it reads, else its activity, else the given words. brief: the file's name without
 * its folder.
 */
export function heroDoing({ activity, status, target }: Doing, otherwise?: string, brief = true): string {
  if (activity === 'reading' && target)
    return words.map.reads(brief ? target.slice(target.lastIndexOf('/') + 1) : target)
  return activityWord(activity) || (otherwise ?? words.roster.doing[status === 'running' ? 'running' : 'idle'])
}

/** What the member of a role does. */
export function seatDoing(s: Pick<Seat, 'activity' | 'away' | 'doing' | 'mine' | 'next' | 'target'>): string {
  if (s.mine && s.doing === 'asked') return words.roster.yourTurn
  if (s.mine && s.doing === 'idle' && s.next) return words.roster.yourNext(s.next.index + 1, s.next.name)
  const otherwise = words.roster.doing[s.doing]
  const does = s.doing === 'running' ? heroDoing({ ...s, status: s.doing }, otherwise) : otherwise
  return facts([does, s.away && words.roster.away])
}
