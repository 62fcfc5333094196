// The buttons of the head that a phone has no room for.
import { Dialog } from '../panels/dialog'
import { menuWords } from '../words-share'
import type { DialogName } from './dialogs'
import { useHeadActions } from './use-head-actions'

interface Props {
  onDialog: (name: DialogName) => void
  onClose: () => void
}

export function Menu({ onDialog, onClose }: Props) {
  return (
    <Dialog title={menuWords.title} onClose={onClose} testid="menu-dialog">
      <div class="menu-list">
        {useHeadActions(onDialog).map(({ testid, label, act }) => (
          <button
            key={testid}
            type="button"
            data-testid={testid}
            onClick={() => {
              onClose()
              act()
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </Dialog>
  )
}
