// The title of a conversation, and its status, for the head.
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { isOver } from '../../state/views'

export function ConversationTitle({ view, realm }: ConversationProps) {
  const kind = kindOf(view)
  return (
    <>
      <h3 title={kind.fullTitle({ view, realm })}>{view.title || kind.label(view).word}</h3>
      {(!kind.buttonsBesideTitle || isOver(view.status)) && (
        <span class={`conversation-status status-${view.status}`}>
          {kind.headStatus({ view, realm })}
          {kind.HeadNote && <kind.HeadNote view={view} realm={realm} />}
        </span>
      )}
    </>
  )
}
