// A line about the last change on disk. If several changes arrive at once, the line also says how many more there are.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../state/model'
import { words } from '../words'

/** How long the line about a change on disk is shown, in milliseconds. */
const STAYS_MS = 8_000

type Disk = Pick<RealmModel, 'changes' | 'moment'>

export function Happenings({ realm }: { realm: RealmModel }) {
  const [shown, setShown] = useState<string | null>(null)
  const { changes, moment } = realm
  const seen = useRef<Disk>({ changes, moment })
  useEffect(() => {
    const before = seen.current
    seen.current = { changes, moment }
    const text = news(before, { changes, moment })
    if (text === null) return
    setShown(text)
    const timer = setTimeout(() => setShown(null), STAYS_MS)
    return () => clearTimeout(timer)
  }, [changes, moment])
  return (
    <p class="happening" role="status" aria-live="polite" data-testid="map-happening">
      {shown}
    </p>
  )
}

/** The text about what changed on disk between the state `before` and the current state; null if nothing changed. */
function news(before: Disk, { changes, moment }: Disk): string | null {
  if (moment !== before.moment && moment) return words.map.moment(moment.moment ?? '', moment.text ?? '')
  const [last, known] = [changes.at(-1), before.changes.at(-1)]
  if (!last || last === known) return null
  const fresh = known ? changes.length - 1 - changes.lastIndexOf(known) : changes.length
  const also = fresh > 1 ? [words.map.alsoHappened(fresh - 1)] : []
  return [words.map.happened(last.path, last.what), ...also].join(', ')
}
