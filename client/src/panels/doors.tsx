// The questions of all agents, in one place. A question that was open on this page stays for a moment after it has
// ended.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AgentDoor } from '../net/protocol.gen'
import { useLayout, type Layout } from '../screens/viewport'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { askingElsewhere } from '../state/roster'
import { doorsWords } from '../words-doors'
import { AskingElsewhere } from './asking-elsewhere'
import { useApp } from './context'
import { DoorCard } from './door-card'
import { DoorOver } from './door-over'
import { useDoorFocus } from './use-door-focus'
import { useSelect } from './use-select'

/** How long a question stays on the page after it has ended, in milliseconds. */
const STAYS = 8_000

/**
 * The number of questions that are shown until the person asks for all. It is small, because the questions must not
 * cover the map and the session.
 */
const FIRST: Readonly<Record<Layout, number>> = { desk: 3, tablet: 2, phone: 1 }

export function Doors({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const doors = useSelect(() => realm.world.doors ?? [], [realm])
  const elsewhere = useSelect(() => askingElsewhere(app.model), [app])
  const layout = useLayout()
  const [whole, setWhole] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const open = doors.filter(isOpen)
  const over = useJustOver(doors)
  useDoorFocus(
    list,
    open.map((d) => d.doorId),
  )
  const all = open.length + elsewhere.length
  if (all + over.length === 0) return null
  const first = whole ? all : FIRST[layout]
  const shown = open.slice(0, first)
  const others = elsewhere.slice(0, first - shown.length)
  const more = all - shown.length - others.length
  return (
    <section class="agent-doors" aria-label={doorsWords.title(all)} data-testid="doors">
      {all > 1 && (
        <div class="agent-doors-head">
          <h2 class="agent-doors-title">{doorsWords.title(all)}</h2>
          {(more > 0 || (whole && all > FIRST[layout])) && (
            <button
              type="button"
              class="link meta"
              aria-expanded={whole}
              data-testid="doors-more"
              onClick={() => setWhole(!whole)}
            >
              {whole ? doorsWords.fewer : doorsWords.more(more)}
            </button>
          )}
        </div>
      )}
      <ul ref={list}>
        {shown.map((d) => (
          <DoorCard key={d.doorId} realm={realm} door={d} alone={open.length === 1} />
        ))}
        {others.map((a) => (
          <AskingElsewhere key={a.id} realm={realm} agent={a} />
        ))}
        {over.map((d) => (
          <DoorOver key={d.doorId} realm={realm} door={d} />
        ))}
      </ul>
    </section>
  )
}

/** The questions (doors) that were open on this page and have just ended. */
function useJustOver(doors: readonly AgentDoor[]): AgentDoor[] {
  const open = useRef<ReadonlySet<string>>(new Set())
  const [ids, setIds] = useState<readonly string[]>([])
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const closed = doors.filter((d) => !isOpen(d) && open.current.has(d.doorId)).map((d) => d.doorId)
    open.current = new Set(doors.filter(isOpen).map((d) => d.doorId))
    if (closed.length === 0) return
    setIds((before) => [...before, ...closed])
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setIds((before) => before.filter((id) => !closed.includes(id)))
    }, STAYS)
    timers.current.add(timer)
  }, [doors])
  useEffect(() => () => timers.current.forEach((t) => clearTimeout(t)), [])
  return doors.filter((d) => !isOpen(d) && ids.includes(d.doorId))
}
