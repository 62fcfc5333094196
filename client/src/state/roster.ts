// The roster: who holds which role and what they do, and the other agents. Pure.
import type { Agent, AgentState, Casting, Role, World } from '../net/protocol.gen'
import type { Model, RealmModel } from './model'
import { headOf } from './conversations'
import { isOpen } from './doors'
import { awaySince } from './people'
import { isAtWork } from './sub-agents'
import { acting, asks, casting, colorOf, heroName, isHost, isMine, nameOf, processView, stageAt } from './select'

type Doing = 'open' | 'asked' | 'running' | 'done' | 'waiting' | 'idle'

export interface Seat {
  role: Role
  casting: Casting
  /** The activity of the member on the map; "" for none. */
  activity: string
  /** The file or folder to which the member walked last; "" for none. */
  target: string
  name: string
  color: string
  /** Whether the role takes turns in the current stage. */
  acts: boolean
  mine: boolean
  /** Whether the person who holds the role is not connected. */
  away: boolean
  /** The next stage in which the role takes turns, with its index; null for none, and if it does in the current one. */
  next: { index: number; name: string } | null
  doing: Doing
  /**
   * turns: the number of turns that the role has taken or skipped in this stage. wanted: the number of turns after
   * which the role is done; 0 if the role takes no turns in this stage, or if a signal and not a number of turns ends
   * the stage.
   */
  turns: number
  wanted: number
}

/** Every role of the process with its holder, in the template's order. */
export function seats(m: Model): Seat[] {
  const r = m.realm
  const p = r?.world.processState
  if (!r || !p?.template) return []
  const at = stageAt(r)
  const acts = new Set(at ? acting(at.stage) : [])
  const running = new Set(processView(r)?.activeRuns.map((run) => run.turn?.roleId ?? run.memberId))
  const asked = new Set(asks(r).map((a) => a.roleId))
  return p.template.roles.map((x): Seat => {
    const c = casting(r, x.id) ?? { roleId: x.id, memberId: x.id, kind: 'open' }
    const key = `${at?.stage.id ?? ''}:`
    const turns = (p.agentTurnCounts[key + c.memberId] ?? 0) + (p.skips[key + x.id] ?? 0)
    const wanted = acts.has(x.id) && at?.stage.completion === 'turn_count' ? (at.stage.turns ?? 1) : 0
    const doing = ((): Doing => {
      if (asked.has(x.id)) return 'asked'
      if (running.has(x.id)) return 'running'
      if (c.kind === 'open') return 'open'
      if (wanted > 0 && turns >= wanted) return 'done'
      return acts.has(x.id) && p.status !== 'completed' ? 'waiting' : 'idle'
    })()
    const member = r.world.agents.find((a) => a.id === c.memberId)
    return {
      role: x,
      casting: c,
      activity: member?.activity ?? '',
      target: member?.walk?.target ?? '',
      name: nameOf(r, x.id),
      color: colorOf(r, c.memberId) ?? x.color,
      acts: acts.has(x.id),
      mine: isMine(c, m),
      next: acts.has(x.id) ? null : nextStage(p, x.id),
      away: c.kind === 'human' && !!c.spectatorId && awaySince(m, c.spectatorId) !== null,
      doing,
      turns,
      wanted,
    }
  })
}

/** The next stage after the current one in which a role takes turns; null for none, and after the process. */
function nextStage(p: World['processState'], roleId: string): Seat['next'] {
  const stages = p.status === 'completed' ? [] : (p.template?.stages ?? [])
  const index = stages.findIndex((s, i) => i > p.currentStageIndex && acting(s).includes(roleId))
  return index < 0 ? null : { index, name: stages[index]!.name }
}

/** The role that an agent holds in a process that is not completed; null for none. */
export function seatOfAgent(m: Model, memberId: string): Seat | null {
  if (m.realm?.world.processState.status === 'completed') return null
  return seats(m).find((s) => s.casting.kind === 'agent' && s.casting.memberId === memberId) ?? null
}

/** The progress of a member in the current stage: the number of turns taken, and the number of turns needed. */
interface Progress {
  turns: number
  wanted: number
  /** Whether an agent plays a turn of the member now. */
  running: boolean
}

/** The progress of a member; 0 of 0 turns if it takes no counted turns in this stage. */
export function progressOf(m: Model, memberId: string): Progress {
  const seat = seats(m).find((s) => s.casting.memberId === memberId)
  const running = seat?.casting.kind === 'agent' && seat.doing === 'running'
  return { turns: Math.min(seat?.turns ?? 0, seat?.wanted ?? 0), wanted: seat?.wanted ?? 0, running }
}

/** An agent without a role in the process: a member of a party, a guest, or a coding agent that a person runs. */
export interface OtherAgent {
  id: string
  name: string
  color: string
  activity: string
  status: string
  /** The file or folder to which the agent walked last; "" for none. */
  target: string
  /** The state of a coding agent that a person runs; undefined for any other member. */
  state?: AgentState
  /** The conversation that shows the agent's session, if the page has it; "" for none. */
  conversationId: string
  /** The title of the session, which says what it is about; "" if it has none. */
  title: string
  /**
   * Whether the work of a coding agent and of all its sub-agents is over: the agent has ended, was lost, or is a
   * sub-agent that waits for nothing but its parent.
   */
  over: boolean
  subs: readonly OtherAgent[]
}

/** Whether the agent is a coding agent whose program runs: it was not lost, and its session has not ended. */
export function isRunning({ state }: Pick<Agent, 'state'>): boolean {
  return state !== undefined && state.state !== 'lost' && state.state !== 'ended'
}

/**
 * The agents without a role, without those that are among the `subs` of another. Those that wait for a person, or have
 * a sub-agent that does, come first, then the other coding agents, then the rest.
 */
export function otherAgents(r: RealmModel): OtherAgent[] {
  const { cast, template } = r.world.processState
  const held = new Set(template?.roles.map((x) => cast.find((c) => c.roleId === x.id)?.memberId ?? x.id))
  const agents = r.world.agents.filter((a) => !held.has(a.id))
  const parentOf = parents(r, new Set(agents.map((a) => a.id)))
  const below = (parent: string): OtherAgent[] =>
    agents.flatMap((a) => (parentOf(a.id) === parent ? [other(r, a, below(a.id), parent !== '')] : [])).sort(byRank)
  return below('')
}

function other(r: RealmModel, a: Agent, subs: OtherAgent[], isSub: boolean): OtherAgent {
  const conversationId = sessionOf(r, a.id)
  const over = a.state !== undefined && !(isSub ? isAtWork(a.state) : isRunning(a))
  return {
    id: a.id,
    name: heroName(r, a),
    color: colorOf(r, a.id) ?? a.color,
    activity: a.activity ?? '',
    status: a.status,
    target: a.walk?.target ?? '',
    ...(a.state ? { state: a.state } : {}),
    conversationId,
    title: titleOf(r, conversationId),
    over: over && subs.every((s) => s.over),
    subs,
  }
}

/** The function that returns the agent of `here` that has started a sub-agent, directly or by others; "" for none. */
function parents(r: RealmModel, here: ReadonlySet<string>): (id: string) => string {
  const up = new Map(r.world.sessions?.map((s) => [s.agentId, s.parent]))
  return (id) => {
    const passed = new Set([id])
    let parent = up.get(id)
    while (parent && !here.has(parent) && !passed.has(parent)) {
      passed.add(parent)
      parent = up.get(parent)
    }
    return parent && here.has(parent) ? parent : ''
  }
}

function byRank(a: OtherAgent, b: OtherAgent): number {
  return rank(a) - rank(b)
}

function rank(a: OtherAgent): number {
  return Math.min(isHeld(a) ? 0 : a.state ? 1 : 2, ...a.subs.map(rank))
}

/** The agents of the list, each followed by its sub-agents, without those whose work is over. */
export function stillHere(list: readonly OtherAgent[]): OtherAgent[] {
  return list.flatMap((a) => (a.over ? [] : [a, ...stillHere(a.subs)]))
}

/**
 * The title of a coding agent's session, which says what the session is about; "" if the title is only the agent's
 * name, or the page does not have the conversation.
 */
export function titleOf(r: RealmModel, conversationId: string): string {
  const head = headOf(r, conversationId)
  const named = head?.team.members[0]?.displayName
  return head && head.title !== named ? head.title : ''
}

/**
 * Whether a coding agent cannot continue until a person answers. An agent whose turn is over only waits for its next
 * prompt.
 */
export function isHeld({ state: s }: { state?: AgentState }): boolean {
  return s?.state === 'waiting' && s.wait !== 'turn'
}

/**
 * The coding agents that cannot continue until a person answers in their terminals, because they have asked no question
 * that this page can show; none for spectators, who cannot do that.
 */
export function askingElsewhere(m: Model): Agent[] {
  const world = isHost(m) ? m.realm?.world : undefined
  if (!world) return []
  return world.agents.filter((a) => isHeld(a) && !world.doors?.some((d) => d.agentId === a.id && isOpen(d)))
}

/** The conversation that shows the session of a coding agent; "" if the page does not have it. */
export function sessionOf(r: RealmModel, agentId: string): string {
  const id = r.world.sessions?.find((s) => s.agentId === agentId)?.conversationId ?? ''
  return headOf(r, id) ? id : ''
}

/**
 * When the tool call began that runs in a coding agent's turn, of several the first; "" if none runs, or the page does
 * not have the rows of the session.
 */
export function callSince(r: RealmModel, agentId: string): string {
  const rows = r.views[sessionOf(r, agentId)]?.messages ?? []
  const turn = rows.slice(rows.findLastIndex((m) => m.role === 'user') + 1)
  return turn.find((m) => m.status === 'open' && m.tool)?.at ?? ''
}
