// What is known about sessions beside their rows: that one was restored, which speakers left the team, and that it is
// saved. Pure.
import type { EventFrame, SessionSaved } from '../net/protocol.gen'
import type { RealmModel, SessionNotice } from './model'
import { conversationOf } from './views'

type SessionNotices = RealmModel['sessionNotices']

const NEW: SessionNotice = { restored: null, warning: null, saved: false }

/** Folds one durable event. */
export function applySessionNotices(sessionNotices: SessionNotices, ev: EventFrame): SessionNotices {
  switch (ev.type) {
    case 'session:warning':
      return change(sessionNotices, ev.conversationId, (s) => ({ ...s, warning: ev }))
    case 'session:restored': {
      // The warning precedes its restore; an older one belongs to an earlier restore.
      const known = sessionNotices[ev.conversationId]?.warning ?? null
      const warning = known !== null && known.seq < ev.seq && ev.seq - known.seq < NEAR ? known : null
      return { ...sessionNotices, [ev.conversationId]: { restored: ev, warning, saved: true } }
    }
    default: {
      const id = conversationOf(ev)
      if (id === undefined || !sessionNotices[id]?.saved) return sessionNotices
      return ev.type === 'chat.started' || ev.type === 'message.added' || ev.type === 'assistant.segment.closed'
        ? change(sessionNotices, id, (s) => ({ ...s, saved: false }))
        : sessionNotices
    }
  }
}

/** A warning and its restore are committed together, at most this many events apart. */
const NEAR = 20

/** session:saved: the session rests and all of it is on disk (S2-16). */
export function applySaved(sessionNotices: SessionNotices, f: SessionSaved): SessionNotices {
  return change(sessionNotices, f.conversationId, (s) => ({ ...s, saved: true }))
}

/** Removes the notices that were read. */
export function putAway(sessionNotices: SessionNotices, conversationId: string): SessionNotices {
  return change(sessionNotices, conversationId, (s) => ({ ...s, restored: null, warning: null }))
}

function change(sessionNotices: SessionNotices, id: string, how: (s: SessionNotice) => SessionNotice): SessionNotices {
  return { ...sessionNotices, [id]: how(sessionNotices[id] ?? NEW) }
}
