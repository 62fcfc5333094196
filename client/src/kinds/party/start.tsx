// The form that begins a party.
import type { StartProps } from '../kind'
import { TeamPick } from './team-pick'

export function PartyStart({ realm, choice, onBegun, onDone }: StartProps) {
  return (
    <div class="fields">
      {choice}
      <TeamPick realm={realm} onBegun={onBegun} onDone={onDone} />
    </div>
  )
}
