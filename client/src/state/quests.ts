// The quests: their groups, and who may move them. Pure.
import type { Finding, Quest } from '../net/protocol.gen'
import { RANK } from './findings'

export const VERBS = ['take', 'start', 'stop', 'drop', 'done'] as const
export type Verb = (typeof VERBS)[number]

const FROM: Record<Verb, Quest['status']> = {
  take: 'open',
  start: 'assigned',
  drop: 'assigned',
  stop: 'in_progress',
  done: 'in_progress',
}

export function ownQuest(q: Quest, me: string | null): boolean {
  return me !== null && q.status !== 'open' && q.spectatorId === me
}

/**
 * Whether the person `me` is allowed to move the quest by the verb. The server has the same rule. Somebody without a
 * name may take an open quest: the page asks for the name first.
 */
export function mayMove(q: Quest, verb: Verb, me: string | null): boolean {
  return q.status === FROM[verb] && (verb === 'take' || ownQuest(q, me))
}

export const QUEST_GROUPS = ['open', 'assigned', 'in_progress', 'done'] as const satisfies readonly Quest['status'][]
const URGENT: Record<Quest['priority'], number> = { high: 0, medium: 1, low: 2 }

/** The findings of quests, by id. */
export type QuestFindings = ReadonlyMap<string, Finding>

/**
 * The quests with a status: first the person's own ones, then the others, each by priority, and with the same priority
 * by the severity of the quest's finding. Quests without a finding come last.
 */
export function questsIn(
  quests: readonly Quest[],
  status: Quest['status'],
  me: string | null,
  findings: QuestFindings = new Map(),
): Quest[] {
  const rank = (q: Quest) =>
    RANK[findings.get(q.findingId ?? '')?.severity ?? 'info'] + Number(!findings.has(q.findingId ?? ''))
  return quests
    .filter((q) => q.status === status)
    .sort(
      (a, b) =>
        Number(ownQuest(b, me)) - Number(ownQuest(a, me)) ||
        (URGENT[a.priority] ?? 3) - (URGENT[b.priority] ?? 3) ||
        rank(a) - rank(b),
    )
}

export function openQuests(quests: readonly Quest[]): number {
  return quests.reduce((n, q) => (q.status === 'open' ? n + 1 : n), 0)
}

/** The command that moves a quest. */
export function questCommand(verb: Verb, id: string): string {
  return `/quest ${verb} ${id}`
}

/** The quest that a command moves; "" for any other command. */
export function movedQuest(text: string): string {
  return /^\/quest\s+\S+\s+(\S+)\s*$/.exec(text)?.[1] ?? ''
}
