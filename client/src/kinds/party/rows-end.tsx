// Under the rows of a party: the notices of a restored session, and a notice if the session is not the current one.
import type { ConversationProps } from '../kind'
import { isCurrent } from './state'
import { SessionNotices } from './session-notices'
import { RestingSession } from './resting-session'

export function PartyRowsEnd({ view, realm }: ConversationProps) {
  return (
    <>
      <SessionNotices view={view} realm={realm} />
      {!isCurrent({ view, realm }) && <RestingSession view={view} realm={realm} />}
    </>
  )
}
