// Member colours with enough contrast: a colour of a team file is mixed with a dark or a light colour until it stands
// out from the background of each theme. The functions are pure.

/**
 * The two colours with which the colours of members are mixed. Letters on a member's colour have one of these two.
 */
const NIGHT = '#0d0f1a'
const PARCHMENT = '#f3ecd9'
/** The colour of members that have no colour of their own. */
const NONE = '#7d82a0'
/** For each theme, the one of its backgrounds with the least contrast to the members' colours. */
const GROUND = { dark: '#1f2438', light: '#ebe2cb' }
/** The minimum contrast of icons and outlines with the background, as a ratio. */
const ENOUGH = 3
/** The number of steps in which a member's colour is mixed with a dark or a light one. */
const STEPS = 20
/** The maximum number of cached colours. At this number the cache is cleared. */
const MAX_KNOWN = 500

export interface Tone {
  /** #rrggbb */
  color: string
  /** The colour of letters on a background of `color`, as #rrggbb. */
  ink: string
}

/** The colours closest to `color` that have enough contrast with the dark and with the light background. */
export function tones(color: string | undefined): { dark: Tone; light: Tone } {
  const given = color && /^#[0-9a-fA-F]{6}$/.test(color) ? color.toLowerCase() : NONE
  let out = known.get(given)
  if (out === undefined) {
    out = { dark: tone(given, PARCHMENT, GROUND.dark), light: tone(given, NIGHT, GROUND.light) }
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(given, out)
  }
  return out
}

const known = new Map<string, { dark: Tone; light: Tone }>()

/** The CSS variables for an element in a member's colour; marks.css uses those of the current theme. */
export function toneStyle(color: string | undefined): Record<string, string> {
  const { dark, light } = tones(color)
  return { '--on-dark': dark.color, '--on-light': light.color, '--ink-dark': dark.ink, '--ink-light': light.ink }
}

/** The contrast ratio of two colours, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)]
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
}

function tone(color: string, toward: string, ground: string): Tone {
  let out = color
  for (let i = 1; i <= STEPS && contrast(out, ground) < ENOUGH; i++) out = mix(color, toward, i / STEPS)
  return { color: out, ink: contrast(out, NIGHT) >= contrast(out, PARCHMENT) ? NIGHT : PARCHMENT }
}

function parts(color: string): number[] {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16))
}

function mix(a: string, b: string, share: number): string {
  const to = parts(b)
  return `#${parts(a)
    .map((v, i) =>
      Math.round(v + ((to[i] ?? 0) - v) * share)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = parts(color)
    .map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
