// The links by which others can open this realm (P2.7). They contain tokens, so the page reads them only when the
// person opens the share dialog, and stores them nowhere.
import { addressOf, type Place } from '../place'
import { ask, type Answer } from './ask'
import type { Share } from './protocol.gen'

export function readShare(stop: AbortSignal): Promise<Answer<Share>> {
  return ask('/api/share', stop)
}

/** The link with the path of a place; the unchanged link if there is no place. */
export function linkTo(link: string, place: Place | null): string {
  if (place === null) return link
  const out = new URL(addressOf(place), link)
  out.search = new URL(link).search
  return out.href
}
