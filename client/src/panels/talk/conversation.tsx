// The conversation that was chosen: what was erased says so, what is not here is fetched, all else is a transcript.
import { isErased } from '../../state/erased'
import type { RealmModel } from '../../state/model'
import { isHere } from '../../state/talks'
import { useApp } from '../context'
import { usePart } from '../use-select'
import { ErasedTalk } from './erased-talk'
import { Fetching } from './fetching'
import { Transcript } from './transcript'

export function Conversation({ realm, id, onBack }: { realm: RealmModel; id: string; onBack: (() => void) | null }) {
  const app = useApp()
  const view = usePart(() => realm.views[id], [realm, id])
  const erased = usePart(() => isErased(realm, id), [realm, id])
  if (erased) return <ErasedTalk onBack={onBack ?? (() => app.talks.leaveErased())} />
  return isHere(view) ? (
    <Transcript realm={realm} view={view} onBack={onBack} />
  ) : (
    <Fetching key={id} realm={realm} id={id} onBack={onBack} />
  )
}
