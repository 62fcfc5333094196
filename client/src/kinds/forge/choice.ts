// The text of a pending message in which the person chose options.
import type { ConversationView } from '../../net/protocol.gen'
import { forgeWords } from './words'

/** The labels of the chosen options. */
export function choiceText(view: ConversationView | null, ids: readonly string[]): string {
  const options = view?.plan.forge?.question?.options ?? []
  return forgeWords.choice(
    ids.map((id) => options.find((o) => o.id === id)?.label.replaceAll('`', '') ?? id).join(', '),
  )
}
