// The form that renames a conversation.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ConversationView } from '../../net/protocol.gen'
import { words } from '../../words'
import { useApp } from '../context'

/** The maximum length of a title in characters. The server refuses a title of more than 120 bytes. */
const MAX_TITLE = 120

export function Rename({ view, onDone }: { view: ConversationView; onDone: () => void }) {
  const app = useApp()
  const field = useRef<HTMLInputElement>(null)
  const [title, setTitle] = useState(view.title)
  useLayoutEffect(() => field.current?.select(), [])
  const save = () => {
    const next = title.trim()
    if (next !== '' && next !== view.title)
      app.send({ type: 'conversation.rename', conversationId: view.conversationId, title: next })
    onDone()
  }
  return (
    <form
      class="rename"
      onSubmit={(e) => {
        e.preventDefault()
        save()
      }}
      onKeyDown={(e) => {
        if (e.key !== 'Escape') return
        e.stopPropagation()
        onDone()
      }}
    >
      <input
        ref={field}
        data-testid="talk-title"
        value={title}
        maxLength={MAX_TITLE}
        aria-label={words.conversation.renameLabel}
        onInput={(e) => setTitle(e.currentTarget.value)}
      />
      <button type="submit" class="small primary" data-testid="talk-title-save">
        {words.conversation.save}
      </button>
      <button type="button" class="small" onClick={onDone}>
        {words.conversation.cancel}
      </button>
    </form>
  )
}
