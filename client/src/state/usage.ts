// Folds the events about the tokens that coding agents have used into the page's world, and computes sums for the
// ledger. Mirrors Apply of shared/world. Pure.
import type { AgentUsage, Session, UsageChanged, World } from '../net/protocol.gen'

/**
 * MAX_USAGE: the maximum number of rows. MAX_EARLIER: the maximum number of rows for earlier days. shared/world has
 * the same numbers.
 */
const MAX_USAGE = 2_000
const MAX_EARLIER = 50

/** Sets the row about the use of a model by an agent on a day, and moves the row to the end. */
export function changeUsage(
  w: World,
  { type: _, seq: __, at: ___, v: ____, requestId: _____, ...row }: UsageChanged,
): World {
  let rows = (w.usage ?? []).filter((u) => u.agentId !== row.agentId || u.model !== row.model || u.day !== row.day)
  while (rows.length >= MAX_USAGE) rows = folded(w, rows)
  return { ...w, usage: [...rows, row] }
}

/**
 * Frees space: adds one row to its model's row for earlier days. It takes the oldest row of an agent that is not on the
 * map or, if all are on the map, the first row. If MAX_EARLIER models have a row for earlier days, all further models
 * share one row. A call that creates a row for earlier days frees no space.
 */
function folded(w: World, rows: readonly AgentUsage[]): AgentUsage[] {
  const here = new Set(w.agents.map((a) => a.id))
  let oldest = -1
  let earlier = 0
  rows.forEach((u, i) => {
    if (u.agentId === '') earlier++
    else if (!here.has(u.agentId) && (oldest < 0 || u.day < (rows[oldest]?.day ?? ''))) oldest = i
  })
  if (oldest < 0) oldest = rows.findIndex((u) => u.agentId !== '')
  const u = rows[oldest]
  if (!u) return [...rows]
  const rest = rows.filter((_, i) => i !== oldest)
  const of = (model: string) => rest.findIndex((o) => o.agentId === '' && o.model === model)
  let model = u.model
  if (of(model) < 0 && earlier >= MAX_EARLIER) model = ''
  const at = of(model)
  const was = rest[at]
  const { input, output, cacheRead, cacheWrite, cacheLong } = was ?? NOTHING
  const sum: AgentUsage = {
    agentId: '',
    conversationId: '',
    model,
    day: '',
    input: input + u.input,
    output: output + u.output,
    cacheRead: cacheRead + u.cacheRead,
    cacheWrite: cacheWrite + u.cacheWrite,
    cacheLong: cacheLong + u.cacheLong,
    ...some('micros', (was?.micros ?? 0) + (u.micros ?? 0)),
    ...some('unpriced', (was?.unpriced ?? 0) + (u.unpriced ?? 0)),
  }
  return was ? rest.with(at, sum) : [sum, ...rest]
}

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheLong: 0 }

/** The number under its key; no key if the number is 0, as on the wire. */
function some<K extends string>(key: K, n: number): Partial<Record<K, number>> {
  return n === 0 ? {} : ({ [key]: n } as Record<K, number>)
}

/** Removes the names of agents whose conversations were erased. w must be a copy. */
export function eraseUsage(w: World, conversations: ReadonlySet<string>): void {
  if (!w.usage?.some((u) => conversations.has(u.conversationId))) return
  w.usage = w.usage.map((u) => {
    if (!conversations.has(u.conversationId)) return u
    const { name: _, ...rest } = u
    return rest
  })
}

/** The tokens and the price of several rows. */
export interface Spent {
  readonly tokens: number
  /** The tokens that were read from a cache. */
  readonly cached: number
  readonly output: number
  /** The price in millionths of a dollar, for all tokens except `unpriced` ones. */
  readonly micros: number
  readonly unpriced: number
}

export function spentOf(rows: readonly AgentUsage[]): Spent {
  const sum = { tokens: 0, cached: 0, output: 0, micros: 0, unpriced: 0 }
  for (const u of rows) {
    sum.tokens += u.input + u.output + u.cacheRead + u.cacheWrite + u.cacheLong
    sum.cached += u.cacheRead
    sum.output += u.output
    sum.micros += u.micros ?? 0
    sum.unpriced += u.unpriced ?? 0
  }
  return sum
}

/** The tokens in an agent's context after its newest request, and the size of its context; 0 if unknown. */
export function contextOf(rows: readonly AgentUsage[], agentId: string): { used: number; size: number } {
  const row = rows.findLast((u) => u.agentId === agentId && (u.context ?? 0) > 0)
  return { used: row?.context ?? 0, size: row?.window ?? 0 }
}

/** An agent of the ledger with its sub-agents. */
export interface Account {
  readonly agentId: string
  readonly name: string
  /** The conversation that shows the agent's session; "" if it is unknown. */
  readonly conversationId: string
  /** The agent's own rows, without those of its sub-agents. */
  readonly rows: readonly AgentUsage[]
  readonly subs: readonly Account[]
  /** The tokens and the cost of the agent and all its sub-agents. */
  readonly spent: Spent
  /**
   * How the cost in spent compares with the cost that the coding agent's program has counted for the session:
   * `same` to the cent, `other`, or `none` if the program has not counted since the session's newest request.
   */
  readonly check: 'same' | 'other' | 'none'
  /** The cost that the program itself has counted, in millionths of a dollar; 0 for none. */
  readonly stated: number
}

/** The agents of the ledger, those with the highest cost first. Rows that sum up earlier days belong to no agent. */
export function accounts(rows: readonly AgentUsage[], sessions: readonly Session[]): Account[] {
  const of = new Map<string, AgentUsage[]>()
  for (const u of rows) {
    if (u.agentId === '') continue
    const own = of.get(u.agentId)
    if (own) own.push(u)
    else of.set(u.agentId, [u])
  }
  const parent = new Map<string, string>()
  for (const s of sessions) if (s.parent) parent.set(s.agentId, s.parent)
  for (const [id, own] of of) {
    const up = own.at(-1)?.parent
    if (up) parent.set(id, up)
  }
  // Give a parent an account even if it has used nothing itself, for the sums of its sub-agents.
  for (const id of [...of.keys()]) {
    const seen = new Set<string>([id])
    for (let up = parent.get(id); up && !seen.has(up); up = parent.get(up)) {
      seen.add(up)
      if (!of.has(up)) of.set(up, [])
    }
  }
  const under = new Map<string, string[]>()
  for (const id of of.keys()) {
    const up = parent.get(id)
    if (up) under.set(up, [...(under.get(up) ?? []), id])
  }
  const account = (id: string, above: ReadonlySet<string>): Account => {
    const own = of.get(id) ?? []
    const path = new Set([...above, id])
    const subs = (under.get(id) ?? [])
      .filter((sub) => !path.has(sub))
      .map((sub) => account(sub, path))
      .sort(mostFirst)
    const spent = [spentOf(own), ...subs.map((s) => s.spent)].reduce(plus)
    const session = sessions.find((s) => s.agentId === id)
    const stated = session?.stated ?? 0
    const check =
      stated === 0 ? 'none' : spent.unpriced === 0 && cents(stated) === cents(spent.micros) ? 'same' : 'other'
    const { name = '', conversationId = session?.conversationId ?? '' } = own.at(-1) ?? {}
    return { agentId: id, name, conversationId, rows: own, subs, spent, check, stated }
  }
  return [...of.keys()]
    .filter((id) => !parent.get(id))
    .map((id) => account(id, new Set()))
    .sort(mostFirst)
}

/** The tokens and the cost of an agent and its sub-agents. */
export function spentBy(rows: readonly AgentUsage[], agentId: string): Spent {
  let of = spent.get(rows)
  if (!of) {
    of = new Map()
    for (const list = [...accounts(rows, [])]; ;) {
      const a = list.pop()
      if (!a) break
      of.set(a.agentId, a.spent)
      list.push(...a.subs)
    }
    spent.set(rows, of)
  }
  return of.get(agentId) ?? spentOf([])
}

/** A cache of spentBy, which the page calls for each agent on the map whenever the rows change. */
const spent = new WeakMap<readonly AgentUsage[], Map<string, Spent>>()

/** The tokens and the cost of each model, the most expensive first. Rows of several models have the key "". */
export function byModel(rows: readonly AgentUsage[]): { key: string; spent: Spent }[] {
  return grouped(rows, (u) => u.model).sort(
    (a, b) => b.spent.micros - a.spent.micros || b.spent.tokens - a.spent.tokens,
  )
}

/** The tokens and the cost of each day, the newest first. Rows that sum up earlier days have the key "". */
export function byDay(rows: readonly AgentUsage[]): { key: string; spent: Spent }[] {
  return grouped(rows, (u) => u.day).sort((a, b) => (a.key < b.key ? 1 : -1))
}

function grouped(rows: readonly AgentUsage[], keyOf: (u: AgentUsage) => string): { key: string; spent: Spent }[] {
  const of = new Map<string, AgentUsage[]>()
  for (const u of rows) {
    const own = of.get(keyOf(u))
    if (own) own.push(u)
    else of.set(keyOf(u), [u])
  }
  return [...of].map(([key, own]) => ({ key, spent: spentOf(own) }))
}

function mostFirst(a: Account, b: Account): number {
  return b.spent.micros - a.spent.micros || b.spent.tokens - a.spent.tokens || (a.agentId < b.agentId ? -1 : 1)
}

function plus(a: Spent, b: Spent): Spent {
  return {
    tokens: a.tokens + b.tokens,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    micros: a.micros + b.micros,
    unpriced: a.unpriced + b.unpriced,
  }
}

/** Millionths of a dollar as cents. */
function cents(micros: number): number {
  return Math.round(micros / 10_000)
}
