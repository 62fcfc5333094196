// Asks the server how the map of the offered folder will look once it is linked (P5.1a).
import { ask, type Answer } from './ask'
import type { Preview } from './protocol.gen'

export function readOffer(stop: AbortSignal): Promise<Answer<Preview>> {
  return ask('/api/offer', stop)
}
