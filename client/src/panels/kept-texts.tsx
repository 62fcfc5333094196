// The texts that the person typed and did not send, above the text box: the answer of a turn that is gone, and what was
// typed in the shown conversation before it ended.
import type { RealmModel } from '../state/model'
import { hasProcess, nameOf } from '../state/select'
import { words } from '../words'
import { KeptText } from './kept-text'
import type { PromptText } from './use-prompt-text'
import { useUnsent } from './use-unsent'

export function KeptTexts({ realm, draft }: { realm: RealmModel; draft: PromptText }) {
  const unsent = useUnsent(realm)
  return (
    <>
      {draft.kept && (
        <KeptText
          testid="kept-answer"
          note={words.prompt.kept(nameOf(realm, draft.kept), hasProcess(realm.world))}
          text={draft.keptText}
          onDiscard={draft.discard}
        />
      )}
      {unsent.text && (
        <KeptText testid="kept-words" note={words.prompt.unsent} text={() => unsent.text} onDiscard={unsent.discard} />
      )}
    </>
  )
}
