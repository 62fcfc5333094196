// The text of an open row. While text streams, only this component renders.
import type { ConversationView, Message } from '../../net/protocol.gen'
import type { RealmModel } from '../../state/model'
import { GrowingMarkdown } from '../markdown/growing-markdown'
import { useApp } from '../context'
import { usePart } from '../use-select'
import { displayOf } from './author'
import { Chips } from './chips'

interface Props {
  message: Message
  realm: RealmModel
  view: ConversationView | null
}

export function GrowingText({ message: m, realm, view }: Props) {
  const text = usePart(() => realm.streams[m.messageId]?.text ?? '', [realm, m.messageId])
  const display = displayOf(useApp().model, realm, view, m, text)
  return (
    <>
      <div class="text markdown">
        <GrowingMarkdown text={display.text} />
      </div>
      <Chips chips={display.chips} />
    </>
  )
}
