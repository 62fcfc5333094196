// The connection and the disk, said plainly while something is wrong with them.
import { useEffect, useState } from 'preact/hooks'
import { CLOSE_ELSEWHERE } from '../net/connection'
import { CLOSE_UNREADABLE } from '../net/session'
import { clock, words } from '../words'
import { useApp } from './context'
import { StateMark } from './marks'

const NOT_ALLOWED = 4503
const BAD_FRAMES = 4504
const OTHER_PROTOCOL = 4505

/** How long a connection may take to come back before anybody is told, in milliseconds. */
const PATIENCE_MS = 300

export function ConnectionBanner() {
  const app = useApp()
  const status = app.connection.value
  const known = app.model.value.server !== null
  const [patient, setPatient] = useState(true)
  const fine = status.state === 'open' && status.welcomed
  const pausing = status.state === 'connecting' || status.state === 'open' || status.state === 'idle'
  useEffect(() => {
    if (!pausing || fine) {
      setPatient(!fine ? false : true)
      return
    }
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS)
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

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [until])
  return (
    <span class="countdown" aria-live="off">
      {words.connection.again(Math.max(0, Math.ceil((until - now) / 1000)))}
    </span>
  )
}

function Stopped({ code }: { code: number }) {
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

/** The disk: a word when all is well, a line that stays until it is well again. */
export function SaveChip() {
  const app = useApp()
  const save = app.model.value.save
  const state = save?.state ?? 'saved'
  const text =
    state === 'saved'
      ? words.save.saved
      : state === 'slow'
        ? words.save.slow
        : state === 'broken'
          ? words.save.broken
          : save?.since
            ? words.save.failing(clock(save.since))
            : words.save.failingNow
  return (
    <span
      class={`chip save save-${state}`}
      data-testid="save-status"
      data-state={state}
      role={state === 'saved' ? undefined : 'status'}
    >
      <StateMark state={state === 'saved' ? 'done' : 'interrupted'} />
      <span class="save-text">{text}</span>
    </span>
  )
}

export function SaveBanner() {
  const save = useApp().model.value.save
  if (save?.board && save.state === 'saved') return <BoardBanner note={save.board} />
  if (!save || save.state === 'saved') return null
  const text =
    save.state === 'slow'
      ? words.save.slowText
      : save.state === 'broken'
        ? words.save.brokenText
        : words.save.failingText
  const head =
    save.state === 'broken'
      ? words.save.broken
      : save.state === 'slow'
        ? words.save.slow
        : save.since
          ? words.save.failing(clock(save.since))
          : words.save.failingNow
  return (
    <div class="banner banner-unsaved" role="status" data-testid="save-banner" data-state={save.state}>
      <StateMark state="interrupted" />
      <span>
        <strong>{head}.</strong> {text}
        {save.message && <span class="quiet"> {save.message}</span>}
        {save.board && <span class="quiet"> {save.board}</span>}
      </span>
    </div>
  )
}

/** The copy of the findings for other programs is not where it should be; nothing is lost. */
function BoardBanner({ note }: { note: string }) {
  return (
    <div class="banner" role="status" data-testid="board-banner">
      <StateMark state="interrupted" />
      <span>
        <strong>{words.save.board}</strong> <span class="quiet">{note}</span>
      </span>
    </div>
  )
}
