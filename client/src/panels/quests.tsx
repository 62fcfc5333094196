// Work that was found: what is open, who has taken what, and how far it is. Each
// button is a command like one that is typed; it is on its way until it is answered.
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Pending } from '../net/outbox'
import type { Quest } from '../net/protocol.gen'
import { mayMove, movedQuest, ownQuest, QUEST_GROUPS, questCommand, questsIn, type Verb } from '../state/board'
import type { RealmModel } from '../state/model'
import { foldersOf, nameOf, roomOf } from '../state/select'
import { count, words } from '../words'
import { useApp } from './context'
import { StateMark, type State } from './marks'
import { Place } from './place'

interface Props {
  onGo: (room: string) => void
  onFinding: (id: string) => void
}

/** Buttons in this order: what leads on comes first. */
const BUTTONS: readonly Verb[] = ['take', 'start', 'done', 'stop', 'drop']
const MARK: Record<Quest['status'], State> = { open: 'open', assigned: 'waiting', in_progress: 'running', done: 'done' }

export function Quests({ onGo, onFinding }: Props) {
  const { realm } = useApp().model.value
  if (!realm) return null
  if (realm.world.quests.length === 0) {
    return (
      <div class="empty" data-testid="quests">
        <p>{words.quests.empty}</p>
        <p class="quiet">{words.quests.emptyNext}</p>
      </div>
    )
  }
  return <Log realm={realm} onGo={onGo} onFinding={onFinding} />
}

function Log({ realm, onGo, onFinding }: Props & { realm: RealmModel }) {
  const app = useApp()
  const { quests, findings, mapTree } = realm.world
  const me = app.model.value.me?.spectatorId ?? null
  const host = app.host.value
  const folders = useMemo(() => foldersOf(mapTree), [mapTree])
  const found = useMemo(() => new Set(findings.map((f) => f.id)), [findings])
  const moving = useMemo(() => onTheirWay(app.pending.value, realm.id), [app.pending.value, realm.id])
  /** The quest that was moved from here last: the keyboard stays with it. */
  const [moved, setMoved] = useState('')
  const [problem, setProblem] = useState('')

  const acts = useRef<RowActs | null>(null)
  acts.current = {
    move: (q, verb) => {
      const before = moving.get(q.id)
      if (before?.status === 'refused') app.discard(before.requestId)
      const result = app.send({ type: 'player:command', text: questCommand(verb, q.id) })
      setProblem(result.ok ? '' : words.prompt.tooMany)
      setMoved(q.id)
    },
    go: onGo,
    finding: onFinding,
  }
  // Talk streams while quests are read: the rows are made anew only when something in them changed.
  const called = JSON.stringify([...new Set(quests.map((q) => q.agentId ?? ''))].map((id) => nameOf(realm, id)))
  const rooms = realm.world.map.files + realm.world.map.folders > 0
  const groups = useMemo(
    () =>
      QUEST_GROUPS.map((status) => ({ status, group: questsIn(quests, status, me) })).map(
        ({ status, group }) =>
          group.length > 0 && (
            <section key={status} data-testid={`quests-${status}`}>
              <h3>
                {words.quests.groups[status]} <span class="quiet">{count(group.length)}</span>
              </h3>
              <ul>
                {group.map((q) => (
                  <QuestRow
                    key={q.id}
                    quest={q}
                    by={q.agentId ? nameOf(realm, q.agentId) : ''}
                    room={roomOf(realm, folders, q.path ?? '')}
                    mine={ownQuest(q, me)}
                    verbs={host ? BUTTONS.filter((v) => mayMove(q, v, me)) : []}
                    moving={moving.get(q.id)}
                    moved={moved === q.id}
                    finding={q.findingId && found.has(q.findingId) ? q.findingId : ''}
                    acts={acts}
                  />
                ))}
              </ul>
            </section>
          ),
      ),
    [quests, me, host, moving, moved, folders, found, called, rooms],
  )
  return (
    <div class="quests scroll" tabIndex={0} role="group" aria-label={words.quests.title} data-testid="quests">
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {groups}
    </div>
  )
}

/** The last command of each quest that the server has not answered, or has refused. */
function onTheirWay(pending: readonly Pending[], realmId: string): ReadonlyMap<string, Pending> {
  const out = new Map<string, Pending>()
  for (const p of pending) {
    const id = p.frame.type === 'player:command' && p.realmId === realmId ? movedQuest(p.frame.text) : ''
    if (id !== '') out.set(id, p)
  }
  return out
}

/** What rows ask their log for. */
interface RowActs {
  move: (q: Quest, verb: Verb) => void
  go: (room: string) => void
  finding: (id: string) => void
}

interface RowProps {
  quest: Quest
  by: string
  room: string | null
  mine: boolean
  verbs: readonly Verb[]
  moving: Pending | undefined
  moved: boolean
  /** The finding that it comes from, "" where there is none. */
  finding: string
  acts: RefObject<RowActs | null>
}

function QuestRow({ quest: q, by, room, mine, verbs, moving, moved, finding, acts }: RowProps) {
  const row = useRef<HTMLLIElement>(null)
  // A quest that was moved stands in another group: its row is a new one.
  useEffect(() => {
    if (!moved || (document.activeElement !== null && document.activeElement !== document.body)) return
    const to = row.current?.querySelector<HTMLElement>('.quest-verbs button') ?? row.current
    to?.focus()
  }, [q.status])
  const busy = moving !== undefined && moving.status !== 'refused'
  const owner =
    q.status === 'open'
      ? ''
      : mine
        ? words.quests.yours[q.status]
        : q.owner
          ? words.quests.owner[q.status](q.owner)
          : ''
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
            <Place path={q.path} line={q.line} room={room} onGo={(to) => acts.current?.go(to)} testid="quest-go" />
          </p>
        )}
        <p class="quiet meta">
          <span class={`priority priority-${q.priority}`}>{words.quests.priority[q.priority]}</span>
          {by && ` · ${words.findings.by(by)}`}
          {owner && (
            <>
              {' · '}
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
          <div class="buttons">
            {verbs.length > 0 && (
              <span class="buttons quest-verbs">
                {verbs.map((verb) => (
                  <button
                    key={verb}
                    type="button"
                    class={verb === 'start' || verb === 'done' ? 'small primary' : 'small'}
                    disabled={busy}
                    title={words.quests.hints[verb]}
                    aria-label={`${words.quests.verbs[verb]}: ${q.title}`}
                    data-testid={`quest-${verb}`}
                    onClick={() => acts.current?.move(q, verb)}
                  >
                    {words.quests.verbs[verb]}
                  </button>
                ))}
              </span>
            )}
            {finding && (
              <button
                type="button"
                class="link meta"
                data-testid="quest-finding"
                onClick={() => acts.current?.finding(finding)}
              >
                {words.quests.finding}
              </button>
            )}
          </div>
        )}
        {moving && (
          <p
            class={busy ? 'quiet meta' : 'meta quest-refused'}
            role={busy ? 'status' : undefined}
            data-testid="quest-moving"
            data-status={moving.status}
          >
            {moving.status === 'refused'
              ? words.quests.refused(moving.error?.message ?? '')
              : moving.status === 'waiting'
                ? words.talk.waiting
                : moving.status === 'held'
                  ? words.talk.held
                  : words.talk.sent}
          </p>
        )}
      </div>
    </li>
  )
}
