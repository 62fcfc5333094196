// The texts of the ledger: what coding agents have used and cost. src/words.ts states the rules for texts.
import type { Account, Spent } from './state/usage'
import { facts, period, plural } from './words-format'

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** A number of tokens, for example "124k" or "1.2M". */
export function tokens(n: number): string {
  return short.format(n).replace('K', 'k')
}

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })

/** An amount of millionths of a dollar, as dollars and cents. */
function money(micros: number): string {
  return micros > 0 && micros < 10_000 ? 'less than $0.01' : dollars.format(micros / 1_000_000)
}

/** The price as far as it is known. If some model has no known price, the text says so. */
export function cost(s: Spent): string {
  if (s.unpriced === 0) return money(s.micros)
  return s.unpriced === s.tokens ? 'price unknown' : `${money(s.micros)} + unknown`
}

/** What an agent's context holds, for example "124k of 200k"; "" if it is unknown. */
export function context(c: { used: number; size: number }): string {
  if (c.used === 0) return ''
  return c.size > 0 ? `context ${tokens(c.used)} of ${tokens(c.size)}` : `context ${tokens(c.used)}`
}

const PROGRAMS: Readonly<Record<string, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  gemini: 'Gemini CLI',
}

/** The name of an agent in the ledger. If its name was erased, the name of its program. */
export function agentName(a: Account): string {
  const program = a.agentId.split(':')[0] ?? ''
  return a.name || (PROGRAMS[program] ?? program)
}

/** How the sum compares with the program's own count; "" if the program has none. */
function check(a: Account): string {
  const program = PROGRAMS[a.agentId.split(':')[0] ?? ''] ?? 'its program'
  if (a.check === 'same') return `confirmed by ${program}`
  return a.check === 'other' ? `${program} counts ${money(a.stated)}` : ''
}

/**
 * Facts that distinguish an agent from others: its models, when it ran, its sub-agents, and the check. title: the title
 * of its session, which is shown in place of its name; "" for none. ran: when the session ran, if the page knows it.
 */
export function notes(a: Account, title: string, ran: { from: string; to: string } | null): string {
  const models = [...new Set(a.rows.map((u) => u.model))].filter(Boolean)
  const days = a.rows.map((u) => u.day).sort()
  const [first = '', last = ''] = [days[0], days.at(-1)]
  const onDays = first === last ? first : `${first} to ${last}`
  return facts([
    title && agentName(a),
    models.length > 3 ? plural(models.length, 'model') : models.join(', '),
    // The server can find a session long after it ran. Then only the days of its use are known.
    ran?.from.startsWith(first) ? period(ran.from, ran.to) : onDays,
    a.subs.length > 0 ? `with ${plural(a.subs.length, 'sub-agent')}` : '',
    check(a),
  ])
}

export const ledgerWords = {
  open: (s: Spent) => `Costs: ${cost(s)}`,
  hint: 'Tokens and cost of the coding agents here',
  title: (realm: string) => `Cost of the agents in ${realm}`,
  sum: (s: Spent) => `${tokens(s.tokens)} tokens`,
  about:
    'Computed from the agents’ own records, at list prices, without subscriptions. Tokens of a model without a ' +
    'known price are counted but not priced.',
  unknown: (n: number) => `The price of ${tokens(n)} tokens is unknown.`,
  byAgent: 'By agent',
  byModel: 'By model',
  byDay: 'By day',
  agent: 'Agent',
  model: 'Model',
  day: 'Day (UTC)',
  all: 'Tokens',
  cached: 'From a cache',
  money: 'Cost',
  more: (n: number) => `All ${plural(n, 'agent')}`,
  earlier: 'earlier days',
  other: 'other models',
}
