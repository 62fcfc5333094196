// The first line of a message: author, time, copy button.
import type { Message } from '../../net/protocol.gen'
import { clock, moment, words } from '../../words'
import { useApp } from '../context'
import { CopyLink } from '../copy-link'
import { FollowButton } from '../follow-button'
import { Shield } from '../shield'
import type { Author } from './author'
import { CopyIcon } from './copy-icon'
import { messageText } from './rows'

export function BubbleHead({ message: m, author: a }: { message: Message; author: Author }) {
  const { realm } = useApp().model
  return (
    <header>
      <Shield id={m.memberId || m.spectatorId || a.name} name={a.name} color={a.color} open={a.erased} />
      <span class="who">{a.name}</span>
      {realm && m.memberId && <FollowButton realm={realm} id={m.memberId} name={a.name} />}
      {a.as.map((text, i) => (
        <span key={i} class="as">
          {text}
        </span>
      ))}
      <time dateTime={m.at} title={moment(m.at)}>
        {clock(m.at)}
      </time>
      {realm && m.status !== 'open' && m.seq !== undefined && (
        <CopyLink
          to={{ kind: 'talk', realmId: realm.id, id: m.conversationId, seq: m.seq, messageId: m.messageId }}
          label={words.conversation.copyMessageLink}
          testid="copy-one-link"
        />
      )}
      {m.status !== 'open' && m.content !== '' && (
        <CopyIcon text={() => messageText(m)} label={words.conversation.copyOne} testid="copy-one" />
      )}
    </header>
  )
}
