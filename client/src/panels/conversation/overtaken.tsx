// The notice that another person's message arrived before the message of this page. Both messages are kept (S1-12).
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
      <span>{told.own ? words.conversation.overtakenOwn : words.conversation.overtaken(told.name)}</span>
      <button
        type="button"
        class="icon-button"
        aria-label={words.conversation.dismiss}
        onClick={() => app.conversations.dismissOvertaken()}
      >
        ✕
      </button>
    </p>
  )
}
