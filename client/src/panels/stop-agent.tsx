// The owner's button that stops a coding agent in a terminal, and what has become of the newest request to stop.
import type { AgentWord, Session } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { isGuest, isHost } from '../state/select'
import { tellWords } from '../words-tell'
import { useApp } from './context'
import { useSelect } from './use-select'

/** The programs whose hooks can end a turn (P17.18). */
const STOPPABLE: ReadonlySet<string> = new Set(['claude'])

export function StopAgent({ realm, session }: { realm: RealmModel; session: Session }) {
  const app = useApp()
  const id = session.agentId
  const works = useSelect(() => realm.world.agents.find((a) => a.id === id)?.state?.state === 'working', [realm, id])
  const can = useSelect(() => canStop(realm, session), [realm, session])
  if (!isHost(app.model) || isGuest(app.model)) return null
  const sent = app.pending.value.findLast((p) => p.frame.type === 'agent:stop' && p.frame.agentId === id)
  const refused = sent?.status === 'refused' ? sent : undefined
  const newest = session.words?.findLast((w) => w.stop)
  const said = outcome(newest, works)
  const stop = () => {
    if (sent) app.discard(sent.requestId)
    app.send({ type: 'agent:stop', agentId: id })
  }
  return (
    <>
      {works && can && !said && (
        <button
          type="button"
          class="small"
          data-testid="stop-agent"
          disabled={sent !== undefined && !refused}
          title={tellWords.stopHint}
          onClick={stop}
        >
          {tellWords.stop}
        </button>
      )}
      <p role="status" class="quiet meta stop-said" data-testid="stop-said">
        {said}
      </p>
      {refused && (
        <p class="problem" role="alert">
          {tellWords.notStopped(refused.error?.message ?? '')}
        </p>
      )}
    </>
  )
}

/** What has become of a request to stop, '' for nothing to say: a new turn has begun, or the transcript shows it. */
function outcome(word: AgentWord | undefined, works: boolean): string {
  if (!word) return ''
  if (!word.state || word.state === 'handed') return tellWords.stopping
  return works ? '' : (tellWords.stops[word.state] ?? '')
}

/** Whether hooks can end the turn of a session's agent. A sub-agent has the hooks of its main agent. */
function canStop(realm: RealmModel, session: Session): boolean {
  let main: Session | undefined = session
  const seen = new Set<Session>() // damaged parents can form a circle
  while (main?.parent && !seen.has(main)) {
    seen.add(main)
    const parent: string = main.parent
    main = realm.world.sessions?.findLast((s) => s.agentId === parent)
  }
  return !!main?.hears && STOPPABLE.has(main.program)
}
