// The buttons of the head on a tablet and a desk.
import type { DialogName } from './dialogs'
import { useHeadActions } from './use-head-actions'

export function HeadButtons({ onDialog }: { onDialog: (name: DialogName) => void }) {
  return (
    <>
      {useHeadActions(onDialog).map(({ testid, label, hint, act }) => (
        <button key={testid} type="button" class="ghost" title={hint} data-testid={testid} onClick={act}>
          {label}
        </button>
      ))}
    </>
  )
}
