// Setting out as a party: choose a team, see who is in it, and go on with its last
// session or begin a new one, by buttons or by the keys that document 002 names (S2-B6).
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { SessionInfo, TeamInfo } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { ago, join, moment, plural, words } from '../../words'
import { useApp } from '../../panels/context'
import { Shield } from '../../panels/marks'
import { partyWords } from './words'

/** How long the list of teams is waited for before the page says so, in milliseconds. */
const PATIENCE_MS = 10_000

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

/** A loading state that ends: with the teams, with an error, or by saying that nobody answers. */
function Waiting() {
  const app = useApp()
  const ask = app.pending.value.find((p) => p.frame.type === 'team:list')
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  const failed = ask?.status === 'refused'
  return (
    <p
      class="quiet"
      role="status"
      data-testid="teams-loading"
      data-state={failed ? 'failed' : late ? 'late' : 'loading'}
    >
      {failed
        ? `${partyWords.failed} ${ask?.error?.message ?? ''}`
        : !app.live.value
          ? words.chats.waiting
          : late
            ? partyWords.late
            : partyWords.loading}{' '}
      {failed && (
        <button
          type="button"
          class="link"
          onClick={() => {
            if (ask) app.discard(ask.requestId)
            app.talks.teams()
          }}
        >
          {words.chats.again}
        </button>
      )}
    </p>
  )
}

interface FoundProps {
  team: TeamInfo
  busy: boolean
  resuming: boolean
  hint: string
  onHint: (hint: string) => void
  onResume: (sessionId: string) => void
  onNew: () => void
  onBack: () => void
  onCancel: () => void
}

/** "Found previous session": R goes on with it, N begins a new one, Escape gives up, any other key says so. */
function Found({ team, busy, resuming, hint, onHint, onResume, onNew, onBack, onCancel }: FoundProps) {
  const w = partyWords
  const [last, ...others] = team.sessions
  const now = Date.now()
  const onKey = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return
    const key = e.key.toLowerCase()
    if (key === 'escape') {
      e.preventDefault()
      e.stopPropagation()
      onCancel()
    } else if (key === 'r' && last) {
      e.preventDefault()
      onResume(last.sessionId)
    } else if (key === 'n') {
      e.preventDefault()
      onNew()
    } else if (e.key.length === 1 && e.key !== ' ') onHint(w.pressRN)
  }
  // The keys count wherever the focus is, from the moment the question stands.
  const latest = useRef(onKey)
  latest.current = onKey
  useLayoutEffect(() => {
    const listen = (e: KeyboardEvent) => latest.current(e)
    document.addEventListener('keydown', listen, true)
    return () => document.removeEventListener('keydown', listen, true)
  }, [])
  const first = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => first.current?.focus(), [])
  if (!last) return null
  return (
    <div class="found" data-testid="found">
      <p>
        <strong>{w.found(team.name)}</strong>
      </p>
      <p class="quiet" title={moment(last.updatedAt ?? '')} data-testid="found-facts">
        {w.facts(ago(last.updatedAt, now), last.messages)}
      </p>
      <p class="found-summary" data-testid="found-summary">
        {last.summary}
      </p>
      <div class="buttons">
        <button
          ref={first}
          type="button"
          class="primary"
          data-testid="found-resume"
          disabled={busy}
          aria-keyshortcuts="R"
          onClick={() => onResume(last.sessionId)}
        >
          {resuming ? w.resuming : w.resume}
        </button>
        <button type="button" data-testid="found-new" disabled={busy} aria-keyshortcuts="N" onClick={onNew}>
          {busy && !resuming ? w.beginning : w.fresh}
        </button>
        <button type="button" class="ghost" onClick={onBack}>
          {w.back}
        </button>
      </div>
      <p class={hint.startsWith(w.pressRN) ? 'quiet pre' : 'problem pre'} role="alert" data-testid="found-hint">
        {hint}
      </p>
      {others.length > 0 && (
        <details>
          <summary>{w.earlier(others.length)}</summary>
          <ul class="earlier">
            {others.map((s) => (
              <Earlier key={s.sessionId} session={s} busy={busy} onResume={onResume} now={now} />
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function Earlier({
  session: s,
  busy,
  onResume,
  now,
}: {
  session: SessionInfo
  busy: boolean
  onResume: (id: string) => void
  now: number
}) {
  return (
    <li class="earlier-session">
      <span>
        <span class="talk-name">{s.title}</span>
        <span class="quiet" title={moment(s.updatedAt ?? '')}>
          {' '}
          {ago(s.updatedAt, now)}
        </span>
        <span class="quiet found-summary">{s.summary}</span>
      </span>
      <button type="button" class="small" disabled={busy} onClick={() => onResume(s.sessionId)}>
        {partyWords.resumeThis}
      </button>
    </li>
  )
}

/** "3 people and 2 agents": who is in a team, for its row. */
function inTeam(team: { members: readonly { type: string; displayName: string; name: string }[] }): string {
  const people = team.members.filter((m) => m.type === 'human').length
  return join([plural(people, 'person', 'people'), plural(team.members.length - people, 'agent')])
}
