// What a durable event does to each slice of the realm; the slice's own file says how. Pure.
import type { EventFrame } from '../net/protocol.gen'
import { eraseRest } from './erased'
import { facesOf } from './faces'
import type { RealmModel } from './model'
import { addNote, isNote } from './notes'
import { restoredOf } from './restored'
import { endPlace } from './rooms'
import { applySessions } from './session'
import { applyHeads, keepViews } from './snapshots'
import { endThought } from './thoughts'
import { applyStreams, applyViews } from './views'
import { applyWorld } from './world'

export function applyEvent(before: RealmModel, ev: EventFrame): RealmModel {
  const r = applyHeads(before, ev)
  const world = applyWorld(r.world, ev)
  const next: RealmModel = {
    ...r,
    world,
    faces: world.agents === r.world.agents ? r.faces : facesOf(world.agents, r.faces),
    views: applyViews(r.views, ev),
    streams: applyStreams(r.streams, ev),
    sessions: applySessions(r.sessions, ev),
    ready: ev.type === 'team:ready' ? ev : r.ready,
    // A session that was set or rested is told anew where teams are listed.
    teams: ev.type === 'team:ready' ? null : r.teams,
    thoughts: endThought(r.thoughts, ev),
    places: ev.type === 'agent:goes' || ev.type === 'agent:left' ? endPlace(r.places, ev.agentId) : r.places,
  }
  switch (ev.type) {
    case 'conversation.started': {
      const { conversationId } = ev.conversation
      return keepViews({ ...next, begun: { conversationId, requestId: ev.requestId ?? '' } }, conversationId)
    }
    case 'history:erased':
      return eraseRest(next, ev)
    case 'realm:restored':
      return { ...next, restored: restoredOf(next, before.views, ev) }
    default:
      return isNote(ev, world.processState.conversationId) ? addNote(next, { kind: 'event', event: ev }) : next
  }
}
