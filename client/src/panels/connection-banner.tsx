// A banner that is shown while the page is not connected. It says why, and what a person can do.
import { useEffect, useState } from 'preact/hooks'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'
import { Stopped } from './stopped'
import { Countdown } from './countdown'

/** How long a reconnect may take before the banner appears, in milliseconds. */
const LATE_MS = 300

export function ConnectionBanner() {
  const app = useApp()
  const status = app.connection.value
  const known = app.model.server !== null
  const [patient, setPatient] = useState(true)
  const fine = status.state === 'open' && status.welcomed
  const pausing = status.state === 'connecting' || status.state === 'open' || status.state === 'idle'
  useEffect(() => {
    if (!pausing || fine) {
      setPatient(!fine ? false : true)
      return
    }
    const timer = setTimeout(() => setPatient(false), LATE_MS)
    return () => clearTimeout(timer)
  }, [pausing, fine])
  if (fine || (pausing && patient)) return null
  if (status.state === 'stopped') return <Stopped code={status.code} />
  return (
    <div class="banner banner-offline" role="status" data-testid="banner" data-state={status.state}>
      <StateMark state="interrupted" />
      {status.state === 'waiting' ? (
        <>
          <span>
            {known ? words.connection.lost : words.connection.first} <Countdown until={status.until} />
          </span>
          <button type="button" class="small" data-testid="retry-now" onClick={() => app.retryNow()}>
            {words.connection.now}
          </button>
        </>
      ) : (
        <span>
          {status.state === 'open'
            ? words.connection.attaching
            : known
              ? `${words.connection.lost} ${words.connection.again(0)}`
              : words.connection.connecting}
        </span>
      )}
    </div>
  )
}
