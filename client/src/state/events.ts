// Applies a durable event to each part of the realm; the part's own file has the rule. Pure.
import type { EventFrame } from '../net/protocol.gen'
import { eraseRest } from './erased'
import { labelsOf } from './agent-labels'
import type { RealmModel } from './model'
import { addNote, isNote } from './notes'
import { restoredOf } from './restored'
import { endPlace } from './rooms'
import { applySessionNotices } from './session-notices'
import { applyHeads, keepViews } from './snapshots'
import { endReading } from './reading'
import { endThought } from './thoughts'
import { applyStreams, applyViews } from './views'
import { applyWorld } from './world'

export function applyEvent(before: RealmModel, ev: EventFrame): RealmModel {
  const r = applyHeads(before, ev)
  const world = applyWorld(r.world, ev)
  const next: RealmModel = {
    ...r,
    world,
    agentLabels: world.agents === r.world.agents ? r.agentLabels : labelsOf(world.agents, r.agentLabels),
    views: applyViews(r.views, ev),
    streams: applyStreams(r.streams, ev),
    sessionNotices: applySessionNotices(r.sessionNotices, ev),
    ready: ev.type === 'team:ready' ? ev : r.ready,
    // A team:ready changes the sessions of a team, which makes the list of teams outdated.
    teams: ev.type === 'team:ready' ? null : r.teams,
    thoughts: endThought(r.thoughts, ev),
    reading: endReading(r.reading, ev),
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
