// A member in the queue. For hosts it is a button that adds the member to the message's [DROP: ...] marker.
import type { Member, PartyItem } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { plainName } from '../../panels/plain-name'
import { Shield } from '../../panels/shield'
import { useComposerText } from '../../panels/conversation/use-composer-text'
import { colorOf } from '../../state/select'
import { memberName, memberOf } from '../../state/conversations'
import type { ConversationProps } from '../kind'
import { addressOf, hasDrop, toggleDrop } from './markers'
import { partyWords } from './words'

export function QueueItem({ item, view, realm }: ConversationProps & { item: PartyItem }) {
  const app = useApp()
  const [text, write] = useComposerText(view.conversationId)
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
      aria-pressed={hasDrop(text, address)}
      aria-label={partyWords.takeBack(whole)}
      title={partyWords.takeBackHint(name)}
      data-testid={`asked-${item.target}`}
      onClick={() => write(toggleDrop(text, address))}
    >
      {shown}
      <span class="quiet" aria-hidden="true">
        ✕
      </span>
    </button>
  )
}
