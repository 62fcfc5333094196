// The notice in place of a conversation that was erased.
import { words } from '../../words'

export function ErasedConversation({ onBack }: { onBack: () => void }) {
  return (
    <div class="conversation-body" data-testid="erased">
      <div class="empty" role="status">
        <p>{words.erasure.erased}</p>
        <p class="quiet">{words.erasure.erasedNext}</p>
        <div class="buttons">
          <button type="button" data-testid="erased-leave" onClick={onBack}>
            {words.erasure.toOthers}
          </button>
        </div>
      </div>
    </div>
  )
}
