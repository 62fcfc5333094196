// The list of keys.
import { Dialog } from '../panels/dialog'
import { paletteWords as w } from '../words-palette'

export function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={w.keys} onClose={onClose} testid="keys">
      <dl class="key-list">
        {w.keyList.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
