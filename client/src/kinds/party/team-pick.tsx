// Setting out as a party: choose a team, see who is in it, and go on with its last
// session or begin a new one, by buttons or by the keys that document 002 names (S2-B6).
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TeamInfo } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { join, plural, words } from '../../words'
import { useApp } from '../../panels/context'
import { Shield } from '../../panels/shield'
import { partyWords } from './words'
import { Found } from './found'
import { Waiting } from './teams-waiting'

export function TeamPick({ realm, onBegun, onDone }: { realm: RealmModel; onBegun: () => void; onDone: () => void }) {
  const app = useApp()
  const w = partyWords
  const [teamId, setTeamId] = useState('')
  const [found, setFound] = useState(false)
  const [sent, setSent] = useState('')
  const [hint, setHint] = useState('')
  const pending = app.pending.value.find((p) => p.requestId === sent)
  const busy = pending !== undefined && pending.status !== 'refused'
  const teams = useTeams(realm)
  const team = teams?.find((t) => t.id === teamId) ?? teams?.[0] ?? null
  const last = team?.sessions[0] ?? null

  useEffect(() => {
    if (sent !== '' && pending === undefined) onBegun()
  }, [sent, pending])

  const go = (resume: string) => {
    if (!team || busy) return
    if (pending) app.discard(pending.requestId)
    setHint('')
    const result = app.talks.setTeam(team.id, resume)
    if (result.ok) setSent(result.requestId)
    else setHint(words.prompt.tooMany)
  }
  const next = () => {
    if (last) setFound(true)
    else go('')
  }
  // Whoever is in the middle of something in the party at hand should not be surprised.
  const at = realm.world.party
  const ends =
    at.conversationId === '' ? '' : at.status === 'active' ? w.endsActive : at.newest !== '' ? w.endsResting : ''
  const refusal = pending?.status === 'refused' ? (pending.error?.message ?? '') : ''
  const resumed = pending?.frame.type === 'team:set' && pending.frame.resumeSessionId !== undefined

  if (found && team && last)
    return (
      <Found
        team={team}
        busy={busy}
        resuming={busy && resumed}
        hint={refusal ? (resumed ? w.restoreFailed(refusal) : w.startFailed(refusal)) : hint}
        onHint={setHint}
        onResume={go}
        onNew={() => go('')}
        onBack={() => setFound(false)}
        onCancel={onDone}
      />
    )
  return (
    <>
      <p class="quiet">{w.about}</p>
      {teams === null ? <Waiting /> : teams.length === 0 ? <p>{w.none}</p> : null}
      {teams !== null && teams.length > 0 && (
        <ul class="teams" role="radiogroup" aria-label={w.choose}>
          {teams.map((t) => (
            <li key={t.id} role="none">
              <label class={t === team ? 'team team-chosen' : 'team'} data-testid={`team-${t.id}`}>
                <input type="radio" name="team" value={t.id} checked={t === team} onChange={() => setTeamId(t.id)} />
                <span class="team-name">
                  {t.name}{' '}
                  <span class="quiet">
                    {inTeam(t)}, {w.sessions(t.sessions.length)}
                  </span>
                </span>
                {t === team && (
                  <span class="team-members">
                    {t.members.map((m) => (
                      <span key={m.id} class="team-member">
                        <Shield id={m.id} name={m.displayName || m.name} color={m.color} open={m.type === 'human'} />
                        {m.displayName || m.name} <span class="quiet">{m.type === 'human' ? w.human : w.agent}</span>
                      </span>
                    ))}
                  </span>
                )}
              </label>
            </li>
          ))}
        </ul>
      )}
      {ends && (
        <p class="quiet" data-testid="team-ends">
          {ends}
        </p>
      )}
      {(refusal || hint) && (
        <p class="problem pre" role="alert">
          {refusal ? w.startFailed(refusal) : hint}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="primary" data-testid="team-go" disabled={team === null || busy} onClick={next}>
          {busy ? w.beginning : w.begin}
        </button>
        <button type="button" onClick={onDone}>
          {words.chats.cancel}
        </button>
      </div>
    </>
  )
}

/** The teams, asked for when they are not known. A list that was there is shown until the next one is. */
function useTeams(realm: RealmModel): TeamInfo[] | null {
  const app = useApp()
  const live = app.live.value
  const asking = app.pending.value.some((p) => p.frame.type === 'team:list')
  const [asked, setAsked] = useState(false)
  const kept = useRef<TeamInfo[] | null>(realm.teams)
  if (realm.teams !== null) kept.current = realm.teams
  useEffect(() => {
    if (!live || asking || (asked && realm.teams !== null)) return
    setAsked(true)
    app.talks.teams() // each time that the dialog opens: files of teams change
  }, [live, asking, asked, realm.teams === null])
  return kept.current
}

/** "3 people and 2 agents": who is in a team, for its row. */
function inTeam(team: { members: readonly { type: string; displayName: string; name: string }[] }): string {
  const people = team.members.filter((m) => m.type === 'human').length
  return join([plural(people, 'person', 'people'), plural(team.members.length - people, 'agent')])
}
