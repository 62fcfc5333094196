// The buttons of a head: what the kind offers, another title, and erasing.
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { BinMark } from '../bin-mark'
import { PenMark } from '../pen-mark'
import { ControlButton } from './control-button'

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
