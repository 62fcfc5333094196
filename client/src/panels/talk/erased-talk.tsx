// What is left on the screen of a conversation that was erased: a sentence.
import { words } from '../../words'

/** What is left on the screen of who had it open. */
export function ErasedTalk({ onBack }: { onBack: () => void }) {
  return (
    <div class="talk-body" data-testid="erased">
      <div class="empty" role="status">
        <p>{words.keep.erased}</p>
        <p class="quiet">{words.keep.erasedNext}</p>
        <div class="buttons">
          <button type="button" data-testid="erased-leave" onClick={onBack}>
            {words.keep.toOthers}
          </button>
        </div>
      </div>
    </div>
  )
}
