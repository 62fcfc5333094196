// Who speaks or is waited for, in the head of the party at hand.
import type { InView } from '../kind'
import { PartyStanding } from './standing'
import { atHand } from './party'

export function PartyStandingAtHand(at: InView) {
  return atHand(at) ? <PartyStanding view={at.view} realm={at.realm} /> : null
}
