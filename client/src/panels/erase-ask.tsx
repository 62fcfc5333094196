// The question before an erasure: what will be erased, and that it cannot be undone.
import type { Erasing } from '../conversations'
import { words } from '../words'
import { Dialog } from './dialog'

interface Props {
  erasing: Erasing
  /** Why the server refused the erasure; null if it did not refuse it. */
  refused: string | null
  onErase: () => void
  onClose: () => void
}

export function EraseAsk({ erasing, refused, onErase, onClose }: Props) {
  const w = words.erasure
  const me = erasing.what === 'me'
  return (
    <Dialog title={me ? w.eraseMeAsk : w.eraseAsk(erasing.title)} onClose={onClose} testid="erase">
      <p>{me ? w.eraseMeText : w.eraseText}</p>
      {erasing.what === 'conversation' && erasing.note && <p>{erasing.note}</p>}
      <p>
        <strong>{w.final}</strong>
      </p>
      {refused !== null && (
        <p class="problem" role="alert">
          {w.failed} {refused}
        </p>
      )}
      <div class="buttons">
        <button type="button" class="danger" data-testid="erase-yes" onClick={onErase}>
          {w.yes}
        </button>
        <button type="button" data-testid="erase-no" data-first onClick={onClose}>
          {me ? w.noMe : w.no}
        </button>
      </div>
    </Dialog>
  )
}
