// Below the head of a party: who is asked next, and what the team works on.
import { useState } from 'preact/hooks'
import type { Member, PartyItem } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { plainName, Shield } from '../../panels/marks'
import { Plain } from '../../panels/plain'
import { useWritten } from '../../panels/talk/written'
import { colorOf } from '../../state/select'
import { memberName, memberOf } from '../../state/talks'
import { words } from '../../words'
import type { InView } from '../kind'
import { addressOf, drops, toggleDropped } from './marks-said'
import { inOrder, isAtHand } from './state'
import { partyWords } from './words'

/** Of the queue this many are named. */
const MOST_ASKED = 5
/** A longer task is shown by its first line until somebody asks for more, in characters. */
const TASK_LINE = 40

/** Who is asked next and what the team works on. */
export function PartyHead({ view, realm }: InView) {
  const p = realm.world.party
  if (!isAtHand(realm, view.conversationId)) return null
  const queue = inOrder(p)
  const first = queue.slice(0, MOST_ASKED)
  return (
    <div
      class="party-head"
      data-testid="party"
      data-status={p.status}
      data-waiting={p.waitingFor}
      data-executing={p.executing?.target ?? ''}
    >
      {first.length > 0 && (
        <div class="party-queue" role="group" aria-label={partyWords.next} data-testid="party-queue">
          <span class="quiet" aria-hidden="true">
            {partyWords.next}
          </span>
          {first.map((item) => (
            <Asked key={item.n} item={item} view={view} realm={realm} />
          ))}
          {queue.length > first.length && <span class="quiet">{partyWords.more(queue.length - first.length)}</span>}
        </div>
      )}
      {p.teamTask && <Task text={p.teamTask} />}
    </div>
  )
}

/** One who is asked: hosts take them back by a touch, which writes into the message. */
function Asked({ item, view, realm }: InView & { item: PartyItem }) {
  const app = useApp()
  const [text, write] = useWritten(view.conversationId)
  const member: Member | null = memberOf(view, item.target)
  const name = memberName(realm, view, item.target)
  const intent = partyWords.intents[item.intent] ?? ''
  const whole = intent ? `${name}, ${intent}` : name
  const shown = (
    <>
      <Shield id={item.target} name={name} color={member?.color ?? colorOf(realm, item.target)} />
      <span class="chip-name">{plainName(name)}</span>
      {intent && <span class="quiet">{intent}</span>}
    </>
  )
  if (!member || !app.host.value) {
    return (
      <span class="party-asked" title={whole}>
        {shown}
      </span>
    )
  }
  const address = addressOf(member, view.team.members)
  return (
    <button
      type="button"
      class="chip-button party-asked"
      aria-pressed={drops(text, address)}
      aria-label={partyWords.takeBack(whole)}
      title={partyWords.takeBackHint(name)}
      data-testid={`asked-${item.target}`}
      onClick={() => write(toggleDropped(text, address))}
    >
      {shown}
      <span class="quiet" aria-hidden="true">
        ✕
      </span>
    </button>
  )
}

/** What the team works on: one line, and the rest of it on request. */
function Task({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  return (
    <div class="party-task" data-testid="party-task">
      <p class={whole ? 'talk-task' : 'talk-task one-line'}>
        <strong>{partyWords.task}:</strong> <Plain text={text} />
      </p>
      {text.length > TASK_LINE && (
        <button type="button" class="link" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.stage.less : words.stage.more}
        </button>
      )}
    </div>
  )
}
