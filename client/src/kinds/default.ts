// The presentation of a conversation whose kind leaves a part out, or which the page does not know: its rows, its
// members, its status and its end.
import type { Conversation, ConversationView } from '../net/protocol.gen'
import { isOver } from '../state/views'
import { title, words } from '../words'
import type { ComposerParts, ComposerUse, InView, Kind } from './kind'

function called(c: Conversation) {
  return { id: c.kind, word: title(c.kind) }
}

function standing({ view }: InView): string {
  const w = words.chats
  switch (view.status) {
    case 'queued':
      return view.reason ?? w.queued
    case 'paused':
      return view.plan.waiting?.message || view.reason || w.paused
    case 'interrupted':
      return view.reason ?? w.interrupted
    case 'failed':
      return view.reason ?? ''
    case 'completed':
    case 'abandoned':
      return ''
    default:
      return view.plan.waiting?.message ?? ''
  }
}

function useComposer(_: ComposerUse): ComposerParts {
  return { asked: false, placeholder: words.chats.sayAll }
}

/** The line under the rows of a conversation that is over; "" while it is not. */
export function ended(v: ConversationView): string {
  return isOver(v.status) ? words.chats.ended[v.status] : ''
}

export const standard = {
  name: '',
  called,
  statusWord: (c: Conversation) => words.chats.status[c.status],
  listStatus: (c: Conversation) => words.chats.status[c.status],
  listNote: () => '',
  asks: () => false,
  begins: [],
  inline: false,
  staged: false,
  headStatus: ({ view }: InView) => words.chats.status[view.status],
  fullTitle: (v: ConversationView) => v.title,
  showsMembers: () => true,
  facts: () => [],
  showsTask: true,
  standing,
  controls: () => [],
  renamed: true,
  eraseNote: '',
  empty: () => '',
  saysWork: () => true,
  cutOff: () => null,
  stopHint: words.chats.stopHint,
  overLine: ended,
  speaks: () => false,
  row: (_: unknown, text: string) => ({ text, chips: [], as: '', place: false }),
  choices: (_: unknown, ids: readonly string[]) => ids.join(', '),
  useComposer,
} satisfies Kind
