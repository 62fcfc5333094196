// The help: the list of keys, and the legend of the map.
import { Legend } from '../map/legend'
import { Dialog } from '../panels/dialog'
import { legendWords } from '../words-legend'
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
      <h2>{legendWords.title}</h2>
      <Legend />
    </Dialog>
  )
}
