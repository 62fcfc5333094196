// The menu with the buttons of the game screen's head for which a phone has no space.
import { Dialog } from '../panels/dialog'
import { menuWords } from '../words-share'
import { useHeadActions } from './use-head-actions'

export function Menu({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={menuWords.title} onClose={onClose} testid="menu-dialog">
      <div class="menu-list">
        {useHeadActions().map(({ testid, label, act }) => (
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
