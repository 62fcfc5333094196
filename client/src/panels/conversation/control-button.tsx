// A button that a kind of conversation adds to the head. A click sends a command, after a question if control.confirm
// has one. The button is disabled while a command of the same type to the conversation is pending.
import { useState } from 'preact/hooks'
import type { Control } from '../../kinds/kind'
import { words } from '../../words'
import { useApp } from '../context'
import { Confirm } from '../confirm'

const LOOKS: Record<Control['look'], string> = { plain: 'small', primary: 'small primary', ghost: 'small ghost' }

export function ControlButton({ control: { testid, label, hint, look, frame, confirm } }: { control: Control }) {
  const app = useApp()
  const [asking, setAsking] = useState(false)
  const sent = app.pending.value.some(
    (p) =>
      p.status !== 'refused' &&
      p.frame.type === frame.type &&
      'conversationId' in p.frame &&
      'conversationId' in frame &&
      p.frame.conversationId === frame.conversationId,
  )
  return (
    <>
      <button
        type="button"
        class={LOOKS[look]}
        data-testid={testid}
        title={hint}
        disabled={sent}
        onClick={() => (confirm ? setAsking(true) : app.send(frame))}
      >
        {label}
      </button>
      {asking && confirm && (
        <Confirm
          title={confirm.title}
          text={confirm.text}
          yes={confirm.yes}
          no={words.conversation.keep}
          onYes={() => {
            setAsking(false)
            app.send(frame)
          }}
          onNo={() => setAsking(false)}
        />
      )}
    </>
  )
}
