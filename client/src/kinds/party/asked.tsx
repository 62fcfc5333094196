// One who is asked next: hosts take them back by a touch, which writes into the message.
import type { Member, PartyItem } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import { Shield } from '../../panels/shield'
import { useWritten } from '../../panels/talk/written'
import { colorOf } from '../../state/select'
import { memberName, memberOf } from '../../state/talks'
import type { InView } from '../kind'
import { addressOf, drops, toggleDropped } from './marks-said'
import { partyWords } from './words'

/** One who is asked: hosts take them back by a touch, which writes into the message. */
export function Asked({ item, view, realm }: InView & { item: PartyItem }) {
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
