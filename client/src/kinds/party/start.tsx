// The form that starts a party: choose a team, then resume its last session or start a new one, by buttons or by the
// keys of document 002 (S2-B6).
import { useState } from 'preact/hooks'
import type { Pending } from '../../net/outbox'
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../../panels/context'
import { useSent } from '../../panels/use-sent'
import type { StartProps } from '../kind'
import { partyWords } from './words'
import { FoundSession } from './found-session'
import { Teams } from './teams'
import { useTeams } from './use-teams'

export function PartyStart({ realm, choice, onStarted, onDone }: StartProps) {
  const app = useApp()
  const w = partyWords
  const [teamId, setTeamId] = useState('')
  const [found, setFound] = useState(false)
  const [hint, setHint] = useState('')
  const { pending, busy, follow } = useSent(onStarted)
  const teams = useTeams(realm)
  const team = teams?.find((t) => t.id === teamId) ?? teams?.[0] ?? null
  const last = team?.sessions[0] ?? null

  const go = (resume: string) => {
    if (!team || busy) return
    if (pending) app.discard(pending.requestId)
    setHint('')
    const result = app.conversations.setTeam(team.id, resume)
    if (result.ok) follow(result.requestId)
    else setHint(words.prompt.tooMany)
  }
  const next = () => {
    if (last) setFound(true)
    else go('')
  }
  const ends = endsAtHand(realm)
  const resumed = pending?.frame.type === 'team:set' && pending.frame.resumeSessionId !== undefined
  const problem = refusalOf(pending) || hint
  if (found && team && last)
    return (
      <div class="fields">
        {choice}
        <FoundSession
          team={team}
          busy={busy}
          resuming={busy && resumed}
          hint={problem}
          onHint={setHint}
          onResume={go}
          onNew={() => go('')}
          onBack={() => setFound(false)}
          onCancel={onDone}
        />
      </div>
    )
  return (
    <div class="fields">
      {choice}
      <p class="quiet">{w.about}</p>
      <Teams teams={teams} chosen={team} onPick={setTeamId} />
      {ends && (
        <p class="quiet" data-testid="team-ends">
          {ends}
        </p>
      )}
      {problem && (
        <p class="problem pre" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" data-testid="team-go" disabled={team === null || busy} onClick={next}>
          {busy ? w.beginning : last ? w.beginOrResume : w.begin}
        </button>
        <button type="button" onClick={onDone}>
          {words.conversation.cancel}
        </button>
      </div>
    </div>
  )
}

/** Why the server refused a pending team:set; "" if the server has not refused it. */
function refusalOf(pending: Pending | undefined): string {
  if (pending?.status !== 'refused') return ''
  const why = pending.error?.message ?? ''
  const resumed = pending.frame.type === 'team:set' && pending.frame.resumeSessionId !== undefined
  return resumed ? partyWords.restoreFailed(why) : partyWords.startFailed(why)
}

/**
 * Says what happens to the current session when another session starts; "" if there is no current session, or if
 * the current session is paused and has no messages.
 */
function endsAtHand({ world: { party: at } }: RealmModel): string {
  if (at.conversationId === '') return ''
  if (at.status === 'active') return partyWords.endsActive
  return at.newest === '' ? '' : partyWords.endsResting
}
