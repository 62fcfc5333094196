// The line about an answer that the person typed and did not send before the turn went away.
import type { RealmModel } from '../state/model'
import { nameOf } from '../state/select'
import { words } from '../words'
import { CopyButton } from './copy-button'

interface Props {
  realm: RealmModel
  /** The role for which the answer was typed. */
  roleId: string
  text: () => string
  onDiscard: () => void
}

export function KeptAnswer({ realm, roleId, text, onDiscard }: Props) {
  return (
    <div class="prompt-reply" role="status" data-testid="kept-answer">
      <p class="note">{words.prompt.kept(nameOf(realm, roleId))}</p>
      <CopyButton text={text} label={words.prompt.copyKept} testid="copy-kept-answer" />
      <button type="button" class="small ghost" data-testid="discard-kept-answer" onClick={onDiscard}>
        {words.prompt.discard}
      </button>
    </div>
  )
}
