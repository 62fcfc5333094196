// A quest: title, place, who has taken it, and buttons.
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Pending } from '../net/outbox'
import type { Finding, Quest } from '../net/protocol.gen'
import { stateOf } from '../state/findings'
import type { Verb } from '../state/quests'
import { DOT, words } from '../words'
import { SeverityMark } from './severity-mark'
import { StateMark, type State } from './state-mark'
import { Place } from './place'
import { QuestButtons, type RowActs } from './quest-buttons'
import { QuestMoving } from './quest-moving'

const MARK: Record<Quest['status'], State> = { open: 'open', assigned: 'waiting', in_progress: 'running', done: 'done' }

interface RowProps {
  quest: Quest
  by: string
  room: string | null
  mine: boolean
  verbs: readonly Verb[]
  moving: Pending | undefined
  moved: boolean
  /** The quest's finding; null if there is none. */
  finding: Finding | null
  acts: RefObject<RowActs | null>
}

export function QuestRow({ quest: q, by, room, mine, verbs, moving, moved, finding, acts }: RowProps) {
  const row = useRef<HTMLLIElement>(null)
  // A moved quest gets a new row in another group. If the old row had the focus, the new row takes it.
  useEffect(() => {
    if (!moved || (document.activeElement !== null && document.activeElement !== document.body)) return
    const to = row.current?.querySelector<HTMLElement>('.quest-verbs button') ?? row.current
    to?.focus()
  }, [q.status, moved])
  const busy = moving !== undefined && moving.status !== 'refused'
  const owner = ownerOf(q, mine)
  return (
    <li
      ref={row}
      class={mine ? 'quest quest-mine' : 'quest'}
      tabIndex={-1}
      data-testid={`quest-${q.id}`}
      data-status={q.status}
      data-priority={q.priority}
    >
      <StateMark state={MARK[q.status]} />
      <div>
        <h4>{q.title}</h4>
        {q.path !== undefined && q.path !== '' && (
          <p class="finding-place">
            <Place
              path={q.path}
              line={q.line}
              room={room}
              onGo={(to, file) => acts.current?.go(to, file)}
              testid="quest"
            />
          </p>
        )}
        <p class="quiet meta">
          <span class={`priority priority-${q.priority}`}>{words.quests.priority[q.priority]}</span>
          {finding && (
            <>
              {DOT}
              <span class="quest-grade" data-testid="quest-severity" data-severity={finding.severity}>
                <SeverityMark severity={finding.severity} suspected={stateOf(finding) === 'suspected'} />{' '}
                <span aria-hidden="true">{words.findings.severe(words.findings.severity[finding.severity])}</span>
              </span>
            </>
          )}
          {by && DOT + words.findings.by(by)}
          {owner && (
            <>
              {DOT}
              <span class="quest-owner">{owner}</span>
            </>
          )}
        </p>
        {q.note !== undefined && q.note !== '' && (
          <p class="meta" data-testid="quest-note">
            {words.quests.settled(q.note)}
          </p>
        )}
        {(verbs.length > 0 || finding) && (
          <QuestButtons quest={q} verbs={verbs} busy={busy} finding={finding?.id ?? ''} acts={acts} />
        )}
        {moving && <QuestMoving moving={moving} />}
      </div>
    </li>
  )
}

/** The text that says who has taken the quest; "" if the quest is open. */
function ownerOf(q: Quest, mine: boolean): string {
  if (q.status === 'open') return ''
  if (mine) return words.quests.yours[q.status]
  return q.owner ? words.quests.owner[q.status](q.owner) : ''
}
