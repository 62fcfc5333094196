// What the page knows about sessions of parties in addition to their rows: the restore of a session, the speakers who
// left its team, and whether the session is saved. Pure.
import type { EventFrame, SessionSaved } from '../net/protocol.gen'
import type { RealmModel, SessionNotice } from './model'
import { conversationOf } from './views'

type SessionNotices = RealmModel['sessionNotices']

const NEW: SessionNotice = { restored: null, warning: null, saved: false }

/** Applies one durable event to the notices. */
export function applySessionNotices(sessionNotices: SessionNotices, ev: EventFrame): SessionNotices {
  switch (ev.type) {
    case 'session:warning':
      return change(sessionNotices, ev.conversationId, (s) => ({ ...s, warning: ev }))
    case 'session:restored': {
      // The warning of a restore comes less than NEAR events before it. An older warning belongs to an earlier restore.
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

/** The events session:warning and session:restored of one restore are less than this many events apart. */
const NEAR = 20

/** Applies session:saved: the session is paused, and all of it is on disk (S2-16). */
export function applySaved(sessionNotices: SessionNotices, f: SessionSaved): SessionNotices {
  return change(sessionNotices, f.conversationId, (s) => ({ ...s, saved: true }))
}

/**
 * Removes the notice that a session was restored, and the warning about speakers who left its team, after the
 * person has read them.
 */
export function putAway(sessionNotices: SessionNotices, conversationId: string): SessionNotices {
  return change(sessionNotices, conversationId, (s) => ({ ...s, restored: null, warning: null }))
}

function change(sessionNotices: SessionNotices, id: string, how: (s: SessionNotice) => SessionNotice): SessionNotices {
  return { ...sessionNotices, [id]: how(sessionNotices[id] ?? NEW) }
}
