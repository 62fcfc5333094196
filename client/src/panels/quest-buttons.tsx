// The buttons of a quest, and the link to its finding.
import type { RefObject } from 'preact'
import type { Quest } from '../net/protocol.gen'
import type { Verb } from '../state/quests'
import { words } from '../words'
import type { GoTo } from './place'

/** The functions of the quest log that a row of the log calls. */
export interface RowActs {
  move: (q: Quest, verb: Verb) => void
  go: GoTo
  finding: (id: string) => void
}

interface Props {
  quest: Quest
  verbs: readonly Verb[]
  /** Whether a command for the quest is pending. */
  busy: boolean
  /** The id of the quest's finding; "" if there is none. */
  finding: string
  acts: RefObject<RowActs | null>
}

export function QuestButtons({ quest: q, verbs, busy, finding, acts }: Props) {
  return (
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
  )
}
