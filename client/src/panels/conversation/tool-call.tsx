// A tool call of a conversation, with what the realm knows about it: its agent's name, its short form in the words of
// the conversation's kind, whether it waits for permission, and whether a sub-agent that it has started still works.
import type { ConversationView, Message } from '../../net/protocol.gen'
import { kindOf } from '../../kinds/kinds'
import { memberName } from '../../state/conversations'
import { awaitsPermission, neverRan } from '../../state/doors'
import type { RealmModel } from '../../state/model'
import { hasStarted } from '../../state/sub-agents'
import { ToolRow } from './tool-row'

interface Props {
  message: Message
  input: string
  realm: RealmModel
  view: ConversationView | null
}

export function ToolCall({ message: m, input, realm, view }: Props) {
  return (
    <ToolRow
      message={m}
      started={hasStarted(realm.world, m)}
      neverRan={neverRan(realm.world, m)}
      waits={awaitsPermission(realm.world, m, view?.messages ?? [])}
      brief={belowRoot(kindOf(view).toolBrief(input), realm.world.realm.path)}
      name={m.name || (view ? memberName(realm, view, m.memberId) : m.memberId)}
    />
  )
}

/** The text with absolute paths into the linked folder made relative to it. */
function belowRoot(text: string, root = ''): string {
  return root === '' ? text : text.replaceAll(`${root}/`, '')
}
