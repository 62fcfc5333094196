// The head of a conversation: title, members, status and buttons.
import { useState } from 'preact/hooks'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { Folding } from '../folding'
import { Controls } from './controls'
import { HeadFacts } from './head-facts'
import { Rename } from './rename'
import type { ShownRows } from './rows'
import { ConversationTitle } from './title'
import { StatusLine } from './status-line'

/** A title of at most this many characters fits beside the buttons of the head; a longer one can be cut there. */
const FITS = 24

export function ConversationHead({
  view,
  realm,
  read,
  onBack,
}: ConversationProps & { read: ShownRows; onBack: (() => void) | null }) {
  const [renaming, setRenaming] = useState(false)
  const kind = kindOf(view)
  const onRename = renaming ? null : () => setRenaming(true)
  const buttons = <Controls view={view} realm={realm} read={read} onRename={onRename} />
  return (
    <header class="conversation-head" data-testid="talk-head" data-kind={kind.label(view).id} data-status={view.status}>
      <div class="conversation-title">
        {onBack && (
          <button
            type="button"
            class="small ghost"
            data-testid="talk-back"
            aria-label={words.conversation.back}
            onClick={onBack}
          >
            ‹ <span class="back-word">{words.conversation.all}</span>
          </button>
        )}
        {renaming ? (
          <Rename view={view} onDone={() => setRenaming(false)} />
        ) : (
          <ConversationTitle view={view} realm={realm} />
        )}
        {kind.buttonsBesideTitle && buttons}
      </div>
      {!kind.buttonsBesideTitle && <HeadFacts view={view} realm={realm} buttons={buttons} />}
      {kind.showsTask && view.taskPrompt && (view.taskPrompt !== view.title || view.title.length > FITS) && (
        <div class="conversation-task">
          <strong>{words.conversation.task}:</strong> <Folding text={view.taskPrompt} limit={160} />
        </div>
      )}
      {view.about && <p class="quiet meta">{words.conversation.about(view.about.name)}</p>}
      {kind.HeadMore && <kind.HeadMore view={view} realm={realm} />}
      <StatusLine view={view} realm={realm} />
    </header>
  )
}
