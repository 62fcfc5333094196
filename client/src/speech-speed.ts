// The speeds of speech on the map among which a person chooses, in words a second.
export const SPEEDS = { slow: 4, normal: 5, fast: 6 } as const
export type Speed = keyof typeof SPEEDS

/** The speed of this name; the normal one for any other text. */
export function speedOf(name: string | null): Speed {
  return name === 'slow' || name === 'fast' ? name : 'normal'
}
