// The buttons in the head of a conversation that only hosts have, whatever its kind: rename, erase.
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { Icon } from '../icon'

interface Props extends ConversationProps {
  /** Whether the buttons show their words, as in a menu. */
  wide: boolean
  onRename: () => void
  onDone: () => void
}

export function HostControls({ view, wide, onRename, onDone }: Props) {
  const app = useApp()
  const kind = kindOf(view)
  const look = wide ? 'head-item' : 'icon-button'
  const w = words.conversation
  const erase = () => {
    onDone()
    app.conversations.erasing.value = {
      what: 'conversation',
      id: view.conversationId,
      title: view.title || kind.label(view).word,
      note: kind.eraseNote,
    }
  }
  const rename = () => {
    onDone()
    onRename()
  }
  return (
    <>
      {kind.canRename && (
        <button
          type="button"
          class={look}
          data-testid="talk-rename"
          aria-label={w.rename}
          title={w.rename}
          onClick={rename}
        >
          <Icon name="pen" />
          {wide && w.rename}
        </button>
      )}
      <button
        type="button"
        class={look}
        data-testid="talk-erase"
        aria-label={words.erasure.erase}
        title={words.erasure.erase}
        onClick={erase}
      >
        <Icon name="bin" />
        {wide && words.erasure.erase}
      </button>
    </>
  )
}
