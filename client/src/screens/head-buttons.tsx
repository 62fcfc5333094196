// The buttons in the game screen's head, on a tablet and a desktop.
import { useHeadActions } from './use-head-actions'

export function HeadButtons() {
  return (
    <>
      {useHeadActions().map(({ testid, label, hint, act }) => (
        <button key={testid} type="button" class="ghost" title={hint} data-testid={testid} onClick={act}>
          {label}
        </button>
      ))}
    </>
  )
}
