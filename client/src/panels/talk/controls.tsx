// The buttons of a head: what the kind offers, another title, and erasing.
import { useState } from 'preact/hooks'
import type { Control, InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { Confirm } from '../dialog'
import { BinMark, PenMark } from '../marks'

const LOOKS: Record<Control['look'], string> = { plain: 'small', primary: 'small primary', ghost: 'small ghost' }

export function Controls({ view, realm, onRename }: InView & { onRename: () => void }) {
  const app = useApp()
  const kind = kindOf(view)
  const w = words.chats
  const erase = () =>
    (app.talks.erasing.value = {
      what: 'conversation',
      id: view.conversationId,
      title: view.title || kind.called(view).word,
      note: kind.eraseNote,
    })
  return (
    <>
      {kind.controls({ view, realm }).map((c) => (
        <ControlButton key={c.testid} control={c} />
      ))}
      {kind.renamed && (
        <button
          type="button"
          class="icon-button"
          data-testid="talk-rename"
          aria-label={w.rename}
          title={w.rename}
          onClick={onRename}
        >
          <PenMark />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        data-testid="talk-erase"
        aria-label={words.keep.erase}
        title={words.keep.erase}
        onClick={erase}
      >
        <BinMark />
      </button>
    </>
  )
}

/** Sends its command, after a question where the kind wants one. It rests while the same command is on its way. */
function ControlButton({ control: { testid, label, hint, look, frame, confirm } }: { control: Control }) {
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
          no={words.chats.keep}
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
