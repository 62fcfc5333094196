// The Talk tab: the list of conversations and the transcript of the chosen one.
// Where there is room both are in sight; on a phone they are two screens.
import { useEffect, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../marks'
import { Refusals } from '../refusals'
import { HALL } from '../../talks'
import { Conversation } from './conversation'
import { Hall } from './hall'
import { TalkList } from './list'

export function Talk({ realm, phone }: { realm: RealmModel; phone: boolean }) {
  const app = useApp()
  const chosen = app.talks.chosen.value
  const [listed, setListed] = useState(false)
  // Somebody asked for a conversation: it comes forth.
  const shown = app.talks.shown.value
  useEffect(() => setListed(false), [shown])
  return (
    <div class="talk" data-testid="talk" data-screen={phone && listed ? 'list' : 'transcript'}>
      {app.talks.starting.value === null && <Starting />}
      {(!phone || listed) && <TalkList realm={realm} compact={!phone} onPick={() => setListed(false)} />}
      {(!phone || !listed) &&
        (chosen !== HALL ? (
          <Conversation realm={realm} id={chosen} onBack={phone ? () => setListed(true) : null} />
        ) : (
          <Hall realm={realm} onBack={phone ? () => setListed(true) : null} />
        ))}
    </div>
  )
}

/** Conversations that are about to begin, and those that the server did not take. */
function Starting() {
  const app = useApp()
  const waiting = app.pending.value.filter((p) => p.frame.type === 'conversation.start' && p.status !== 'refused')
  return (
    <>
      {waiting.map((p) => (
        <p key={p.requestId} class="talk-starting quiet" role="status" data-testid="talk-starting" data-status={p.status}>
          <StateMark state="waiting" />
          <span>
            {words.chats.begins.soon}: {p.status === 'sent' ? words.talk.sent : p.status === 'held' ? (p.error?.message ?? words.talk.held) : words.talk.waiting}
          </span>
          {p.status !== 'sent' && (
            <button type="button" class="link" onClick={() => app.discard(p.requestId)}>
              {words.talk.takeBack}
            </button>
          )}
        </p>
      ))}
      <Refusals only={['conversation.start']} />
    </>
  )
}
