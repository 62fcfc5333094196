// A finding: title and place, and its details once opened. Everything in it is untrusted text.
import type { RefObject } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import type { RealmModel } from '../state/model'
import { stateOf } from '../state/findings'
import { nameOf, roomOf } from '../state/select'
import { clock, DOT, facts, moment, words } from '../words'
import { AcceptedBadge } from './accepted-badge'
import { gradeOf } from './finding-grade'
import { FollowButton } from './follow-button'
import { SeverityMark } from './severity-mark'
import { Place, type GoTo } from './place'
import { stageName } from './stage-name'
import { FindingDetails } from './finding-details'

/** The functions of the list of findings that a row of the list calls. */
export interface RowActs {
  toggle: (id: string) => void
  go: GoTo
  /** Shows another finding. */
  lead: (id: string) => void
  /** Reports that the row has scrolled into view. */
  led: () => void
}

interface Props {
  finding: Finding
  realm: RealmModel
  /** The folders of the map's tree. */
  folders: ReadonlySet<string>
  open: boolean
  /** Whether the list scrolls to this row. */
  led: boolean
  /** The title of the finding into which this one was merged; undefined if this one was not merged. */
  instead: string | undefined
  /** The findings that were merged into this one. */
  also: readonly Finding[]
  acts: RefObject<RowActs | null>
}

export function FindingRow({ finding: f, realm, folders, open, led, instead, also, acts }: Props) {
  const head = useRef<HTMLButtonElement>(null)
  const body = useId()
  useEffect(() => {
    if (!led) return
    head.current?.focus()
    head.current?.closest('li')?.scrollIntoView({ block: 'nearest' })
    acts.current?.led()
  }, [led, acts])
  const stage = f.stageId ? stageName(realm.world.processState.template, f.stageId) : ''
  const by = nameOf(realm, f.agentId)
  const gone = f.withdrawn ?? ''
  const state = stateOf(f)
  const suspected = state === 'suspected'
  const reach = f.reach && f.reach !== 'product' ? words.findings.reach[f.reach] : ''
  const room = (path: string) => roomOf(realm, folders, path)
  const go: GoTo = (to, file) => acts.current?.go(to, file)
  return (
    <li
      class={`finding finding-${f.severity}${gone ? ' finding-gone' : ''}${suspected ? ' finding-suspected' : ''}`}
      data-testid={`finding-${f.id}`}
      data-severity={f.severity}
      data-withdrawn={gone ? true : undefined}
    >
      <SeverityMark severity={f.severity} suspected={suspected} />
      <div>
        <h3>
          <button
            ref={head}
            type="button"
            class="finding-title"
            aria-expanded={open}
            aria-controls={body}
            data-testid="finding-open"
            onClick={() => acts.current?.toggle(f.id)}
          >
            {state === 'withdrawn' ? <del>{f.title}</del> : f.title}
          </button>
        </h3>
        <p class="finding-place">
          <Place path={f.path} line={f.line} room={room(f.path)} onGo={go} testid="finding" />{' '}
          <AcceptedBadge finding={f} />
        </p>
        {gone && (
          <p class="finding-reason">
            {words.findings.reason(gone, state === 'accepted')}
            {instead !== undefined && (
              <>
                {' '}
                <button
                  type="button"
                  class="link"
                  data-testid="finding-into"
                  onClick={() => acts.current?.lead(f.into ?? '')}
                >
                  {words.findings.into(instead)}
                </button>
              </>
            )}
          </p>
        )}
        <div id={body} hidden={!open}>
          {open && <FindingDetails finding={f} also={also} roomOf={room} onGo={go} />}
        </div>
        <p class="quiet meta">
          <span data-testid="finding-grade">{gradeOf(f)}</span>
          {DOT}
          {facts([reach, words.findings.by(by)])}
          <FollowButton realm={realm} id={f.agentId} name={by} />
          {stage && DOT + stage}
          {DOT}
          <time title={moment(f.at)}>{clock(f.at)}</time>
        </p>
      </div>
    </li>
  )
}
