// The speeds of speech on the map, in words a second.
export const SPEEDS = { slow: 4, normal: 5, fast: 6 } as const
export type Speed = keyof typeof SPEEDS

/** The speed with this name; 'normal' for any other text. */
export function speedOf(name: string | null): Speed {
  return name === 'slow' || name === 'fast' ? name : 'normal'
}
