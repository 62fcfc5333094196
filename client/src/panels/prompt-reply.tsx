// The answer to a command, above the text box in which it was typed. It is shown while the transcript with the
// answer is not.
import type { Note, RealmModel } from '../state/model'
import { words } from '../words'
import { noteText } from './note-text'

interface Props {
  realm: RealmModel
  requestId: string
  onClose: () => void
}

export function PromptReply({ realm, requestId, onClose }: Props) {
  const note = realm.notes.findLast((n) => answered(n) === requestId)
  const said = note ? noteText(realm, note) : null
  if (!said?.text) return null
  return (
    <div class="prompt-reply" role="status" data-testid="prompt-reply">
      <p class={said.bad ? 'note note-bad' : 'note'}>{said.text}</p>
      <button type="button" class="icon-button" aria-label={words.refusal.dismiss} onClick={onClose}>
        ✕
      </button>
    </div>
  )
}

/** The requestId of the command that a note answers. */
function answered({ what }: Note): string | undefined {
  return what.kind === 'reply'
    ? what.reply.requestId
    : what.kind === 'event'
      ? what.event.requestId
      : what.error.requestId
}
