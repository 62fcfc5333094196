// The buttons in the head: the kind's own, rename, erase.
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { Icon } from '../icon'
import { ControlButton } from './control-button'

export function Controls({ view, realm, onRename }: ConversationProps & { onRename: () => void }) {
  const app = useApp()
  const kind = kindOf(view)
  const w = words.conversation
  const erase = () =>
    (app.conversations.erasing.value = {
      what: 'conversation',
      id: view.conversationId,
      title: view.title || kind.label(view).word,
      note: kind.eraseNote,
    })
  return (
    <>
      {kind.controls({ view, realm }).map((c) => (
        <ControlButton key={c.testid} control={c} />
      ))}
      {kind.canRename && (
        <button
          type="button"
          class="icon-button"
          data-testid="talk-rename"
          aria-label={w.rename}
          title={w.rename}
          onClick={onRename}
        >
          <Icon name="pen" />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        data-testid="talk-erase"
        aria-label={words.erasure.erase}
        title={words.erasure.erase}
        onClick={erase}
      >
        <Icon name="bin" />
      </button>
    </>
  )
}
