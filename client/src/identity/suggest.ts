// Suggests a name and a colour to a person who has none. Several people can get the same name.
import { HUES, type Identity } from './identity'

const FIRST = [
  'Amber',
  'Bold',
  'Calm',
  'Clever',
  'Copper',
  'Keen',
  'Merry',
  'Quick',
  'Quiet',
  'Silver',
  'Steady',
  'Wise',
]
const SECOND = ['Badger', 'Falcon', 'Fox', 'Hare', 'Heron', 'Lynx', 'Otter', 'Owl', 'Raven', 'Robin', 'Stag', 'Wren']

/** The colour, or the next one that nobody has; the colour itself if all are taken. */
export function freeColor(color: string, taken: readonly string[]): string {
  const at = HUES.findIndex((hue) => hue === color)
  return [...HUES.slice(at), ...HUES.slice(0, at)].find((hue) => !taken.includes(hue)) ?? color
}

/** random: a number from 0 up to 1, such as Math.random. */
export function suggestIdentity(random: () => number): Identity {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  return { name: `${pick(FIRST)} ${pick(SECOND)}`, color: pick(HUES) }
}
