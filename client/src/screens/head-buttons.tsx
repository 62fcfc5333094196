// The buttons of the head on a tablet and a desk.
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
