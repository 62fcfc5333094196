// The text of a note between the rows of a transcript: of an event, of the answer to a command, or of an error.
import type { EventFrame } from '../net/protocol.gen'
import type { Note, RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { join, words } from '../words'
import { stageName } from './stage-name'

export interface NoteText {
  text: string
  bad: boolean
  /** Whether the text quotes an agent, and is therefore Markdown. */
  markdown?: boolean
}

export function noteText(realm: RealmModel, note: Note): NoteText {
  const { what } = note
  if (what.kind === 'reply') return { text: what.reply.text ?? '', bad: false }
  if (what.kind === 'error') return { text: what.error.message, bad: true }
  const bad = what.event.type === 'process:error' || what.event.type === 'chat.error'
  return { text: eventText(realm, what.event), bad, markdown: what.event.type === 'process:sealed' }
}

type Text = { readonly [K in EventFrame['type']]?: (ev: Extract<EventFrame, { type: K }>, realm: RealmModel) => string }

const TEXT: Text = {
  'process:started': (ev) => words.note.started(ev.name, ev.problem),
  'process:stage_restarted': (ev, realm) =>
    words.note.restarted(stageName(realm.world.processState.template, ev.stageId), ev.attempt),
  'process:pausing': (ev) => words.note.pausing(ev.name ?? ''),
  'process:paused': (ev) => words.note.paused(ev.reason ?? '', ev.name ?? ''),
  'process:resumed': (ev) => words.note.resumed(ev.name ?? ''),
  'process:sealed': (ev, realm) => words.note.sealed(nameOf(realm, ev.roleId), ev.summary ?? ''),
  'process:completed': (ev) => words.note.completed(ev.artifacts?.length ?? 0, ev.early ?? false),
  'process:skipped': (ev, realm) => words.note.skipped(join(ev.roleIds.map((id) => nameOf(realm, id)))),
  'process:error': (ev) => words.note.error(ev.message),
  'process:cast': (ev, realm) => {
    if (ev.casting.kind === 'human')
      return words.note.taken(nameOf(realm, ev.casting.roleId), ev.casting.name || words.note.somebody)
    return ev.casting.kind === 'agent'
      ? words.note.agent(nameOf(realm, ev.casting.roleId))
      : words.note.freed(nameOf(realm, ev.casting.roleId), ev.name ?? '')
  },
  'settings:updated': () => words.note.settings,
  'chat.error': (ev, realm) => words.note.failed(nameOf(realm, ev.memberId), ev.message),
  'chat.cancelled': (ev, realm) => words.note.cancelled[ev.reason]?.(nameOf(realm, ev.memberId)) ?? '',
}

function eventText(realm: RealmModel, ev: EventFrame): string {
  const text = TEXT[ev.type] as ((ev: EventFrame, realm: RealmModel) => string) | undefined
  return text?.(ev, realm) ?? ''
}
