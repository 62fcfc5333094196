// The shield of a member: outline by id, the member's colour, the first letter of the name.
import { toneStyle } from './tones'
import { plainName } from './plain-name'

/** Members differ by the outline first and by the colour second. */
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
