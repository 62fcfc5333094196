// Announces to screen readers each question of an agent that has ended, and who answered it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { doorsWords } from '../words-doors'
import { useOutcome } from './use-outcome'
import { useSelect } from './use-select'

export function DoorsAnnouncer({ realm }: { realm: RealmModel }) {
  const doors = useSelect(() => realm.world.doors ?? [], [realm])
  const outcome = useOutcome()
  const open = useRef<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState('')
  useEffect(() => {
    const ended = doors.filter((d) => !isOpen(d) && open.current.has(d.doorId))
    open.current = new Set(doors.filter(isOpen).map((d) => d.doorId))
    if (ended.length > 0)
      setSaid(ended.map((d) => doorsWords.over(nameOf(realm, d.agentId), d.tool, outcome(d))).join('. '))
  }, [realm, doors, outcome])
  return (
    <div class="visually-hidden" role="status" data-testid="doors-announcer">
      {said}
    </div>
  )
}
