// A button on an agent's card that opens the agent's session with the cursor in its text box.
import type { RealmModel } from '../state/model'
import { sessionOf } from '../state/roster'
import { tellWords } from '../words-tell'
import { useApp } from './context'
import { useSelect } from './use-select'

export function TalkTo({ realm, id, name }: { realm: RealmModel; id: string; name: string }) {
  const app = useApp()
  const session = useSelect(() => sessionOf(realm, id), [realm, id])
  if (session === '') return null
  return (
    <button type="button" class="small primary" data-testid="talk-to" onClick={() => app.conversations.enter(session)}>
      {tellWords.label(name)}
    </button>
  )
}
