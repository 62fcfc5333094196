// Small drawings made here, from the palette: severities and states told by shape
// first and colour second, and the shields that stand for members.
import type { ComponentChildren } from 'preact'
import type { Finding } from '../net/protocol.gen'
import { words } from '../words'
import { toneStyle } from './tones'

/** info ○, low ◔, medium ◑, high ◕, critical ●. */
const FILL: Record<Finding['severity'], number> = { info: 0, low: 0.25, medium: 0.5, high: 0.75, critical: 1 }

export function SeverityMark({ severity }: { severity: Finding['severity'] }) {
  const part = FILL[severity] ?? 0
  return (
    <svg
      class={`mark severity-${severity}`}
      viewBox="0 0 16 16"
      role="img"
      aria-label={words.findings.severity[severity]}
    >
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="2" />
      {part === 1 ? (
        <circle cx="8" cy="8" r="6" fill="currentColor" />
      ) : part > 0 ? (
        <path d={wedge(part)} fill="currentColor" />
      ) : null}
    </svg>
  )
}

function wedge(part: number): string {
  const angle = part * 2 * Math.PI
  const x = 8 + 6 * Math.sin(angle)
  const y = 8 - 6 * Math.cos(angle)
  return `M8 8V2A6 6 0 ${part > 0.5 ? 1 : 0} 1 ${x.toFixed(3)} ${y.toFixed(3)}Z`
}

export type State = 'running' | 'waiting' | 'reading' | 'interrupted' | 'done' | 'open'

const STATE: Record<State, ComponentChildren> = {
  // a flame
  running: (
    <path d="M8 1c1 3 4 4.5 4 8.5a4 4 0 0 1-8 0c0-2 1-3 1.5-4 .5 1 1 1.5 1.5 1.5C7.5 5 7 3 8 1z" fill="currentColor" />
  ),
  // a closed door
  waiting: (
    <path d="M3 15V6a5 5 0 0 1 10 0v9zm2-2h6V6a3 3 0 0 0-6 0zM9 9h1.5v1.5H9z" fill="currentColor" fill-rule="evenodd" />
  ),
  // a book
  reading: (
    <path
      d="M1 3c2.5-1 5-.5 7 1 2-1.5 4.5-2 7-1
      v10c-2.5-1-5-.5-7 1-2-1.5-4.5-2-7-1zm2 1.5v7c1.5-.3 3 0 4 .6V5.3c-1-.8-2.5-1-4-.8z"
      fill="currentColor"
      fill-rule="evenodd"
    />
  ),
  // a broken line
  interrupted: <path d="M1 7h4v2H1zm6-3h2v2H7zm0 6h2v2H7zm4-3h4v2h-4z" fill="currentColor" />,
  // a seal
  done: (
    <path
      d="M8 1l1.7 1.5 2.2-.4.8 2.1 2.1.8-.4 2.2L16 9
      l-1.5 1.7.4 2.2-2.1.8L8 12.5 3.2 13.7l-2.1-.8.4-2.2L0 9
      l1.5-1.8-.4-2.2 2.1-.8.8-2.1 2.2.4zM7 10.5l4.5-4.5-1.2-1.2L7 8 5.6 6.6 4.4 7.8z"
      transform="translate(.8 1) scale(.9)"
      fill="currentColor"
      fill-rule="evenodd"
    />
  ),
  // an empty place
  open: (
    <path
      d="M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8z"
      fill="currentColor"
      fill-rule="evenodd"
      opacity=".6"
    />
  ),
}

export function StateMark({ state, label }: { state: State; label?: string }) {
  return (
    <svg
      class={`mark state-${state}`}
      viewBox="0 0 16 16"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' })}
    >
      {STATE[state]}
    </svg>
  )
}

/** Two sheets: copying. done: a tick; false: it did not work. */
export function CopyMark({ done }: { done: boolean | null }) {
  const d = done === true ? 'M2 8l4 4 8-9' : done === false ? 'M8 2v8m0 3v1' : 'M5 2h8v9M3 5h7v9H3z'
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} fill="none" stroke="currentColor" stroke-width="1.500" />
    </svg>
  )
}

/** A pen: another title. */
export function PenMark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 13l1-4 7-7 3 3-7 7zM9.5 3.5l3 3" fill="none" stroke="currentColor" stroke-width="1.500" />
    </svg>
  )
}

/** A bin: what is erased. */
export function BinMark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M2.5 4h11M6 4V2.5h4V4M4 4l.8 9.5h6.4L12 4M6.7 6.5v5M9.3 6.5v5"
        fill="none"
        stroke="currentColor"
        stroke-width="1.500"
      />
    </svg>
  )
}

/** Outlines of shields: who is who is told by outline first, then by colour. */
const SHIELDS = [
  'M12 2l9 3v7c0 5-4 8.500-9 10-5-1.500-9-5-9-10V5z',
  'M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20z',
  'M12 1l11 11-11 11L1 12z',
  'M12 1.500l9.500 5.300v10.400L12 22.500 2.500 17.200V6.800z',
  'M3 3h18v14l-9 5-9-5z',
  'M6 2h12l4 4v12l-4 4H6l-4-4V6z',
] as const

function shieldOf(id: string): string {
  let sum = 0
  for (const c of id) sum = (sum * 31 + (c.codePointAt(0) ?? 0)) >>> 0
  return SHIELDS[sum % SHIELDS.length] ?? SHIELDS[0]
}

/** A member's shield with the first letter of the name; an article says nothing. */
export function Shield({
  id,
  name,
  color,
  open = false,
}: {
  id: string
  name: string
  color: string | undefined
  open?: boolean
}) {
  return (
    <svg class={open ? 'shield shield-open' : 'shield'} style={toneStyle(color)} viewBox="0 0 24 24" aria-hidden="true">
      <path d={shieldOf(id)} stroke-width="1.500" stroke-dasharray={open ? '3 2' : undefined} />
      <text x="12" y="16.200" text-anchor="middle" font-size="12" font-weight="700">
        {[...plainName(name)][0]?.toUpperCase() ?? '?'}
      </text>
    </svg>
  )
}

/** A name without its article, for where room is short: "The First Mate" is First Mate. */
export function plainName(name: string): string {
  return name.trim().replace(/^the\s+(?=\S)/i, '')
}
