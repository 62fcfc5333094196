// The line above the findings after a link to a finding that the realm does not have.
import { deadLinkWords as w } from '../words-dead-links'
import { useApp } from './context'

export function DeadFinding() {
  const app = useApp()
  const id = app.deadFinding.value
  if (id === '') return null
  return (
    <div class="prompt-reply" role="alert" data-testid="dead-finding">
      <p class="note">{w.finding(id)}</p>
      <button type="button" class="small ghost" onClick={() => (app.deadFinding.value = '')}>
        {w.close}
      </button>
    </div>
  )
}
