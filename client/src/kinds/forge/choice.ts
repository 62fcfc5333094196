// Answers that were chosen, as people read them while the server has not answered.
import type { ConversationView } from '../../net/protocol.gen'
import { forgeWords } from './words'

/** What somebody chose, in the words of the buttons, while the server has not answered. */
export function choiceText(view: ConversationView | null, ids: readonly string[]): string {
  const options = view?.plan.forge?.question?.options ?? []
  return forgeWords.choice(
    ids.map((id) => options.find((o) => o.id === id)?.label.replaceAll('`', '') ?? id).join(', '),
  )
}
