// What a page knows of a team's session beside its rows: that it was restored, who of
// its speakers is not in the team any more, and that it is saved. Pure.
import type { EventFrame, SessionSaved } from '../net/protocol.gen'
import type { RealmModel, SessionNotice } from './model'
import { conversationOf } from './views'

type Sessions = RealmModel['sessions']

const NEW: SessionNotice = { restored: null, warning: null, saved: false }

/** Folds one durable event. */
export function applySessions(sessions: Sessions, ev: EventFrame): Sessions {
  switch (ev.type) {
    case 'session:warning':
      return change(sessions, ev.conversationId, (s) => ({ ...s, warning: ev }))
    case 'session:restored': {
      // The warning comes first where there is one; an older one says nothing of this restore.
      const known = sessions[ev.conversationId]?.warning ?? null
      const warning = known !== null && known.seq < ev.seq && ev.seq - known.seq < NEAR ? known : null
      return { ...sessions, [ev.conversationId]: { restored: ev, warning, saved: true } }
    }
    default: {
      const id = conversationOf(ev)
      if (id === undefined || !sessions[id]?.saved) return sessions
      return ev.type === 'chat.started' || ev.type === 'message.added' || ev.type === 'assistant.segment.closed'
        ? change(sessions, id, (s) => ({ ...s, saved: false }))
        : sessions
    }
  }
}

/** A warning and the restore that it is about lie this many events apart at most: they are committed together. */
const NEAR = 20

/** session:saved: it came to rest with all of it on disk (S2-16). */
export function applySaved(sessions: Sessions, f: SessionSaved): Sessions {
  return change(sessions, f.conversationId, (s) => ({ ...s, saved: true }))
}

/** The reader has read the notice. */
export function putAway(sessions: Sessions, conversationId: string): Sessions {
  return change(sessions, conversationId, (s) => ({ ...s, restored: null, warning: null }))
}

function change(sessions: Sessions, id: string, how: (s: SessionNotice) => SessionNotice): Sessions {
  return { ...sessions, [id]: how(sessions[id] ?? NEW) }
}
