// The banner after a final close. It says why the connection was closed, and what a person can do.
import { CLOSE_ELSEWHERE, CLOSE_NOT_ALLOWED } from '../net/connection'
import { CLOSE_UNREADABLE } from '../net/session'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'

const TEXTS: Readonly<Record<number, string>> = {
  [CLOSE_ELSEWHERE]: words.connection.elsewhere,
  [CLOSE_NOT_ALLOWED]: words.connection.notAllowed,
  4504: words.connection.badFrames,
  4505: words.connection.protocol,
  [CLOSE_UNREADABLE]: words.connection.unreadable,
}

export function Stopped({ code }: { code: number }) {
  const app = useApp()
  return (
    <div class="banner banner-stopped" role="alert" data-testid="banner" data-state="stopped" data-code={code}>
      <StateMark state="interrupted" />
      <span>{TEXTS[code] ?? words.connection.closed(code)}</span>
      {code === CLOSE_ELSEWHERE ? (
        <button type="button" class="small primary" data-testid="take-over" onClick={() => app.continueHere()}>
          {words.connection.here}
        </button>
      ) : (
        <button type="button" class="small" data-testid="reload" onClick={() => location.reload()}>
          {words.connection.reload}
        </button>
      )}
    </div>
  )
}
