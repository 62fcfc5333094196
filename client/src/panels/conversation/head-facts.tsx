// The second line of a conversation's head: members, facts, buttons.
import type { ComponentChildren } from 'preact'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { colorOf } from '../../state/select'
import { memberName } from '../../state/conversations'
import { facts, join } from '../../words'
import { useApp } from '../context'
import { Shield } from '../shield'

const MAX_SHIELDS = 8

export function HeadFacts({ view, realm, buttons }: ConversationProps & { buttons: ComponentChildren }) {
  const app = useApp()
  const kind = kindOf(view)
  const { members } = view.team
  const who = join(members.map((m) => memberName(realm, view, m.id)))
  return (
    <div class="conversation-facts">
      {kind.HeadLead && <kind.HeadLead view={view} realm={realm} />}
      {kind.showsMembers({ view, realm }, app.host.value) && (
        <span class="shields" role="img" aria-label={who} title={who}>
          {members.slice(0, MAX_SHIELDS).map((m) => (
            <Shield key={m.id} id={m.id} name={m.displayName || m.name} color={m.color || colorOf(realm, m.id)} />
          ))}
        </span>
      )}
      <span class="quiet conversation-says">{facts(kind.facts({ view, realm }, app.host.value))}</span>
      {buttons}
    </div>
  )
}
