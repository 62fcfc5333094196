// The form that starts a party.
import type { StartProps } from '../kind'
import { TeamPick } from './team-pick'

export function PartyStart({ realm, choice, onStarted, onDone }: StartProps) {
  return (
    <div class="fields">
      {choice}
      <TeamPick realm={realm} onStarted={onStarted} onDone={onDone} />
    </div>
  )
}
