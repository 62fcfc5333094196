// Says plainly what goes and that it cannot be undone, before it is erased.
import type { Erasing } from '../talks'
import { words } from '../words'
import { Dialog } from './dialog'

interface Props {
  erasing: Erasing
  /** Why the server did not take it; null where it was not asked or has not answered. */
  refused: string | null
  onErase: () => void
  onClose: () => void
}

export function EraseAsk({ erasing, refused, onErase, onClose }: Props) {
  const w = words.keep
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
