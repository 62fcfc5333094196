// A line that tells a person that the process waits for their turn. It is shown while another conversation has the
// text box.
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { words } from '../words'
import { useApp } from './context'
import { useMyAsks } from './use-my-asks'

export function TurnCall({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const { ask } = useMyAsks()
  if (ask === null) return null
  return (
    <p class="prompt prompt-asked turn-call" role="status" data-testid="turn-call" data-role={ask.roleId}>
      <strong>{words.prompt.yourTurn(nameOf(realm, ask.roleId))}</strong>
      <button type="button" class="small primary" onClick={() => app.conversations.enterProcess()}>
        {words.prompt.answer}
      </button>
    </p>
  )
}
