// The end of the list of conversations: a button that loads more of them, or why the server refused the list.
import type { RealmModel } from '../../state/model'
import { words } from '../../words'
import { useApp } from '../context'
import { FirstQuestions } from './first-questions'

interface Props {
  realm: RealmModel
  all: boolean
  /** Whether there is no conversation. */
  none: boolean
  /**
   * Whether an empty list shows the first questions. Beside a transcript it does not, because the transcript shows
   * them.
   */
  questions: boolean
}

export function ListFoot({ realm, all, none, questions }: Props) {
  const app = useApp()
  const ask = app.pending.value.find((p) => p.frame.type === 'conversation.list')
  if (ask?.status === 'refused') {
    return (
      <p class="quiet conversation-foot" role="alert">
        {words.conversation.listFailed} {ask.error?.message}{' '}
        <button type="button" class="link" onClick={() => app.discard(ask.requestId)}>
          {words.conversation.again}
        </button>
      </p>
    )
  }
  if (none && questions) return <FirstQuestions />
  if (!all || !realm.moreHeads) return null
  return (
    <p class="conversation-foot">
      <button
        type="button"
        class="link"
        data-testid="talk-more"
        disabled={ask !== undefined}
        onClick={() => app.conversations.list(true)}
      >
        {ask ? words.conversation.loadingList : words.conversation.more}
      </button>
    </p>
  )
}
