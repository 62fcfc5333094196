// The chosen conversation: its transcript, a loading state, or a notice that it was erased.
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { isHere } from '../../state/conversations'
import { useApp } from '../context'
import { usePart } from '../use-select'
import { ErasedConversation } from './erased-conversation'
import { Fetching } from './fetching'
import { Transcript } from './transcript'

export function Conversation({ realm, id, onBack }: { realm: RealmModel; id: string; onBack: (() => void) | null }) {
  const app = useApp()
  const view = usePart(() => realm.views[id], [realm, id])
  const erased = usePart(() => isErased(realm, id), [realm, id])
  if (erased) return <ErasedConversation onBack={onBack ?? (() => app.conversations.leaveErased())} />
  return isHere(view) ? (
    <Transcript realm={realm} view={view} onBack={onBack} />
  ) : (
    <Fetching key={id} realm={realm} id={id} onBack={onBack} />
  )
}
