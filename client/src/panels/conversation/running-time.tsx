// For how long a tool call has run. It is a component of its own, because it is drawn every second.
import { elapsed, moment } from '../../words-format'
import { useSeconds } from '../use-now'

export function RunningTime({ since }: { since: string }) {
  return (
    <time class="quiet" dateTime={since} title={moment(since)} aria-live="off" data-testid="running-time">
      {elapsed(since, useSeconds())}
    </time>
  )
}
