// The words of a row that is open: of the whole page, a word that streams draws this alone.
import type { ConversationView, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { GrowingMarkdown } from '../markdown/growing-markdown'
import { usePart } from '../use-select'
import { lookOf } from './author'
import { Chips } from './chips'

interface Props {
  message: Message
  realm: RealmModel
  view: ConversationView | null
}

export function GrowingText({ message: m, realm, view }: Props) {
  const text = usePart(() => realm.streams[m.messageId]?.text ?? '', [realm, m.messageId])
  const look = lookOf(realm, view, m, text)
  return (
    <>
      <div class="text markdown">
        <GrowingMarkdown text={look.text} />
      </div>
      <Chips chips={look.chips} />
    </>
  )
}
