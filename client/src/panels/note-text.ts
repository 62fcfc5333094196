// What a quiet line says: the words for an event, a reply or an error.
import type { EventFrame } from '../net/protocol.gen'
import type { Note, RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { join, words } from '../words'
import { stageName } from './stage-name'

export interface NoteText {
  text: string
  bad: boolean
}

export function noteText(realm: RealmModel, note: Note): NoteText {
  const { what } = note
  if (what.kind === 'reply') return { text: what.reply.text ?? '', bad: false }
  if (what.kind === 'error') return { text: what.error.message, bad: true }
  const bad = what.event.type === 'process:error' || what.event.type === 'chat.error'
  return { text: eventText(realm, what.event), bad }
}

function eventText(realm: RealmModel, ev: EventFrame): string {
  const w = words.note
  const name = (id: string) => nameOf(realm, id)
  switch (ev.type) {
    case 'process:started':
      return w.started(ev.name, ev.problem)
    case 'process:stage_restarted':
      return w.restarted(stageName(realm, ev.stageId), ev.attempt)
    case 'process:pausing':
      return w.pausing
    case 'process:paused':
      return w.paused(ev.reason ?? '')
    case 'process:resumed':
      return w.resumed
    case 'process:sealed':
      return w.sealed(name(ev.roleId), ev.summary ?? '')
    case 'process:completed':
      return w.completed(ev.artifacts?.length ?? 0)
    case 'process:skipped':
      return w.skipped(join(ev.roleIds.map(name)))
    case 'process:error':
      return w.error(ev.message)
    case 'process:cast':
      if (ev.casting.kind === 'human') return w.taken(name(ev.casting.roleId), ev.casting.name || w.somebody)
      return ev.casting.kind === 'agent' ? w.agent(name(ev.casting.roleId)) : w.freed(name(ev.casting.roleId))
    case 'settings:updated':
      return w.settings
    case 'spectator:command':
      return w.said(ev.name, ev.text)
    case 'chat.error':
      return w.failed(name(ev.memberId), ev.message)
    case 'chat.cancelled':
      return w.cancelled[ev.reason]?.(name(ev.memberId)) ?? ''
    default:
      return ''
  }
}
