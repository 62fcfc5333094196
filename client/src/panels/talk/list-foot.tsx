// Under the list of conversations: more of it, or why it could not be fetched.
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../context'

export function ListFoot({ realm, all }: { realm: RealmModel; all: boolean }) {
  const app = useApp()
  const ask = app.pending.value.find((p) => p.frame.type === 'conversation.list')
  if (ask?.status === 'refused') {
    return (
      <p class="quiet talk-foot" role="alert">
        {words.chats.listFailed} {ask.error?.message}{' '}
        <button type="button" class="link" onClick={() => app.discard(ask.requestId)}>
          {words.chats.again}
        </button>
      </p>
    )
  }
  if (!all || !realm.moreHeads) return null
  return (
    <p class="talk-foot">
      <button
        type="button"
        class="link"
        data-testid="talk-more"
        disabled={ask !== undefined}
        onClick={() => app.talks.list(true)}
      >
        {ask ? words.chats.loadingList : words.chats.more}
      </button>
    </p>
  )
}
