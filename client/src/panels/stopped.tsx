// The banner after a final close: why, and what a person can do.
import { CLOSE_ELSEWHERE } from '../net/connection'
import { CLOSE_UNREADABLE } from '../net/session'
import { words } from '../words'
import { useApp } from './context'
import { StateMark } from './state-mark'

const NOT_ALLOWED = 4503

const BAD_FRAMES = 4504

const OTHER_PROTOCOL = 4505

export function Stopped({ code }: { code: number }) {
  const app = useApp()
  const text =
    code === CLOSE_ELSEWHERE
      ? words.connection.elsewhere
      : code === NOT_ALLOWED
        ? words.connection.notAllowed
        : code === BAD_FRAMES
          ? words.connection.badFrames
          : code === OTHER_PROTOCOL
            ? words.connection.protocol
            : code === CLOSE_UNREADABLE
              ? words.connection.unreadable
              : words.connection.closed(code)
  return (
    <div class="banner banner-stopped" role="alert" data-testid="banner" data-state="stopped" data-code={code}>
      <StateMark state="interrupted" />
      <span>{text}</span>
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
