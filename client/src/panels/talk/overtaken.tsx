// Somebody spoke before these words: both are kept, and it is said once (S1-12).
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../context'
import { StateMark } from '../state-mark'

export function Overtaken({ realm, id }: { realm: RealmModel; id: string }) {
  const app = useApp()
  const told = realm.overtaken
  if (told?.conversationId !== id) return null
  return (
    <p class="overtaken" role="status" data-testid="overtaken" data-own={told.own ?? false}>
      <StateMark state="waiting" />
      <span>{told.own ? words.chats.overtakenOwn : words.chats.overtaken(told.name)}</span>
      <button type="button" class="icon-button" aria-label={words.chats.dismiss} onClick={() => app.talks.noticed()}>
        ✕
      </button>
    </p>
  )
}
