// The quests grouped by status.
import { useMemo, useRef, useState } from 'preact/hooks'
import type { Pending } from '../net/outbox'
import type { Finding } from '../net/protocol.gen'
import { mayMove, movedQuest, ownQuest, QUEST_GROUPS, questCommand, questsIn, type Verb } from '../state/quests'
import type { RealmModel } from '../state/model'
import { foldersOf, nameOf, roomOf } from '../state/select'
import { count, words } from '../words'
import { useApp } from './context'
import { useSelect } from './use-select'
import type { RowActs } from './quest-buttons'
import type { GoTo } from './place'
import { QuestRow } from './quest-row'

/** The order of the buttons of a quest: first the verbs that advance it, then those that undo such a step. */
const BUTTONS: readonly Verb[] = ['take', 'start', 'done', 'stop', 'drop']

export interface QuestsProps {
  realm: RealmModel
  onGo: GoTo
  onFinding: (id: string) => void
}

export function QuestLog({ realm, onGo, onFinding }: QuestsProps) {
  const app = useApp()
  const { quests, mapTree } = realm.world
  const me = app.model.me?.spectatorId ?? null
  const host = app.host.value
  const folders = useMemo(() => foldersOf(mapTree), [mapTree])
  const list = useSelect(() => foundBy(realm), [realm])
  const found = useMemo(() => new Map(list.map((f) => [f.id, f])), [list])
  const moving = useMemo(() => onTheirWay(app.pending.value, realm.id), [app.pending.value, realm.id])
  /** The id of the quest that was moved last on this page. Its row keeps the focus. */
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
  return (
    <div class="quests scroll" tabIndex={0} role="group" aria-label={words.quests.title} data-testid="quests">
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {QUEST_GROUPS.map((status) => ({ status, group: questsIn(quests, status, me, found) })).map(
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
                    finding={found.get(q.findingId ?? '') ?? null}
                    acts={acts}
                  />
                ))}
              </ul>
            </section>
          ),
      )}
    </div>
  )
}

/** The findings that quests refer to. */
function foundBy({ world: { quests, findings } }: RealmModel): Finding[] {
  const ids = new Set(quests.map((q) => q.findingId))
  return findings.filter((f) => ids.has(f.id))
}

/** The last pending or refused command for each quest, by the id of the quest. */
function onTheirWay(pending: readonly Pending[], realmId: string): ReadonlyMap<string, Pending> {
  const out = new Map<string, Pending>()
  for (const p of pending) {
    const id = p.frame.type === 'player:command' && p.realmId === realmId ? movedQuest(p.frame.text) : ''
    if (id !== '') out.set(id, p)
  }
  return out
}
