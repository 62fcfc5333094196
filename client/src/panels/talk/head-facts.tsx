// The second line of a head: who takes part, short facts, and the buttons.
import type { ComponentChildren } from 'preact'
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { colorOf } from '../../state/select'
import { memberName } from '../../state/talks'
import { words } from '../../words'
import { useApp } from '../context'
import { Shield } from '../shield'

const MOST_SHIELDS = 8

export function HeadFacts({ view, realm, buttons }: InView & { buttons: ComponentChildren }) {
  const app = useApp()
  const kind = kindOf(view)
  const { members } = view.team
  const who = words.chats.members(members.map((m) => memberName(realm, view, m.id)))
  return (
    <div class="talk-facts">
      {kind.HeadLead && <kind.HeadLead view={view} realm={realm} />}
      {kind.showsMembers({ view, realm }, app.host.value) && (
        <span class="shields" role="img" aria-label={who} title={who}>
          {members.slice(0, MOST_SHIELDS).map((m) => (
            <Shield key={m.id} id={m.id} name={m.displayName || m.name} color={m.color || colorOf(realm, m.id)} />
          ))}
        </span>
      )}
      <span class="quiet talk-says">{kind.facts({ view, realm }).join(' · ')}</span>
      {buttons}
    </div>
  )
}
