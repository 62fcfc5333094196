// The seconds until the next try to connect.
import { useEffect, useState } from 'preact/hooks'
import { words } from '../words'

export function Countdown({ until }: { until: number }) {
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
