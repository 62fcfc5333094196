// The legend of the map as a dialog.
import { Dialog } from '../panels/dialog'
import { legendWords as w } from '../words-legend'
import { Legend } from './legend'

export function LegendDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={w.title} onClose={onClose} testid="legend-dialog">
      <Legend />
    </Dialog>
  )
}
