// The links by which others come (P2.7). They hold tokens: they are read when somebody looks at them, and kept nowhere.
import { addressOf, type Place } from '../place'
import { ask, type Answer } from './ask'
import type { Share } from './protocol.gen'

export function readShare(stop: AbortSignal): Promise<Answer<Share>> {
  return ask('/api/share', stop)
}

/** A link that leads to a place; the link itself where there is none. */
export function linkTo(link: string, place: Place | null): string {
  if (place === null) return link
  const out = new URL(addressOf(place), link)
  out.search = new URL(link).search
  return out.href
}
