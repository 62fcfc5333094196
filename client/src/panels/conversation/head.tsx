// The head of a conversation: title, members, status and buttons.
import { useState } from 'preact/hooks'
import type { ConversationProps } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { CopyLink } from '../copy-link'
import { Folding } from '../folding'
import { Controls } from './controls'
import { CopyIcon } from './copy-icon'
import { HeadFacts } from './head-facts'
import { Rename } from './rename'
import { transcriptText, type ShownRows } from './rows'
import { ConversationTitle } from './title'
import { StatusLine } from './status-line'

export function ConversationHead({
  view,
  realm,
  read,
  onBack,
}: ConversationProps & { read: ShownRows; onBack: (() => void) | null }) {
  const app = useApp()
  const [renaming, setRenaming] = useState(false)
  const kind = kindOf(view)
  const buttons = (
    <span class="conversation-buttons">
      {app.host.value && !renaming && <Controls view={view} realm={realm} onRename={() => setRenaming(true)} />}
      {kind.HeadTools && <kind.HeadTools view={view} realm={realm} />}
      <CopyLink
        to={{ kind: 'talk', realmId: realm.id, id: view.conversationId, seq: 0, messageId: '' }}
        label={words.conversation.copyLink}
        testid="talk-copy-link"
      />
      {read.rows.length > 0 && (
        <CopyIcon text={() => transcriptText(read.rows)} label={words.conversation.copyAll} testid="copy-transcript" />
      )}
    </span>
  )
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
      {view.taskPrompt && kind.showsTask && view.taskPrompt !== view.title && (
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
