// A dialog that asks before something that cannot be undone.
import { Dialog } from './dialog'

export function Confirm({
  title,
  text,
  yes,
  no,
  onYes,
  onNo,
}: {
  title: string
  text: string
  yes: string
  no: string
  onYes: () => void
  onNo: () => void
}) {
  return (
    <Dialog title={title} onClose={onNo} testid="confirm">
      <p>{text}</p>
      <div class="buttons">
        <button type="button" class="danger" data-testid="confirm-yes" onClick={onYes}>
          {yes}
        </button>
        <button type="button" onClick={onNo} data-testid="confirm-no" data-first>
          {no}
        </button>
      </div>
    </Dialog>
  )
}
