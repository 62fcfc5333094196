// The head of the screen of a process that has ended: how it ended, its name, and what it found in numbers.
import type { Finding } from '../net/protocol.gen'
import { headOf } from '../state/conversations'
import { countIn, countStanding } from '../state/findings'
import type { RealmModel } from '../state/model'
import { facts, words } from '../words'
import { CopyLink } from './copy-link'
import { StateMark } from './state-mark'

interface Props {
  realm: RealmModel
  /** The conversation of the process. */
  processId: string
  name: string
  /** The findings of the process, if it looked for any and no later review has taken them over; otherwise null. */
  own: readonly Finding[] | null
  overtaken: boolean
}

export function CompletionHead({ realm, processId, name, own, overtaken }: Props) {
  const p = realm.world.processState
  const head = headOf(realm, processId)
  const early = processId === p.conversationId ? p.early : head?.status === 'abandoned'
  return (
    <header>
      <StateMark state={early ? 'open' : 'done'} />
      <div>
        <h2>{early ? words.stage.ended : words.completion.title}</h2>
        <p class="quiet">
          {facts([
            name,
            early && (head?.reason ?? '').replace(/\.$/, ''),
            own !== null && words.completion.text(countStanding(own), countIn(own, 'suspected')),
            overtaken && words.completion.overtaken,
          ])}
        </p>
      </div>
      <CopyLink
        to={{ kind: 'result', realmId: realm.id, id: processId }}
        label={words.completion.copyLink}
        testid="copy-result-link"
      />
    </header>
  )
}
