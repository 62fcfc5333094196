// Under the rows of a party: what came back with its session, who is missing, and that it rests.
import type { InView } from '../kind'
import { isAtHand } from './state'
import { SessionNotices } from './session-notices'
import { Resting } from './resting'

export function PartyEnd({ view, realm }: InView) {
  return (
    <>
      <SessionNotices view={view} realm={realm} />
      {!isAtHand(realm, view.conversationId) && <Resting view={view} realm={realm} />}
    </>
  )
}
