// For how long an agent's question can still be answered on the page. It counts from the moment at which the page shows
// the question, because the clock of the server can differ.
import { useState } from 'preact/hooks'
import { doorsWords } from '../words-doors'
import { useSeconds } from './use-now'

/** hold: for how many seconds the question can be answered here, from its beginning. */
export function DoorUntil({ hold }: { hold: number }) {
  const [shown] = useState(Date.now)
  const passed = Math.max(0, Math.floor((useSeconds() - shown) / 1000))
  return (
    <p class="quiet meta agent-door-note" data-testid="door-until">
      {doorsWords.until(Math.max(0, hold - passed))}
    </p>
  )
}
