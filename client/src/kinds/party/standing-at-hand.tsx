// Who speaks or is waited for, in the head of the party at hand.
import type { ConversationProps } from '../kind'
import { PartyStanding } from './standing'
import { isCurrent } from './party'

export function PartyStandingAtHand(at: ConversationProps) {
  return isCurrent(at) ? <PartyStanding view={at.view} realm={at.realm} /> : null
}
