// The head of a conversation: what it is, who takes part, how it stands, and what may be done with it.
import { useState } from 'preact/hooks'
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { words } from '../../words'
import { useApp } from '../context'
import { Folding } from '../folding'
import { Controls } from './controls'
import { CopyIcon } from './copy-icon'
import { HeadFacts } from './head-facts'
import { Rename } from './rename'
import { transcriptText, type Reading } from './rows'
import { TalkTitle } from './title'
import { TalkStanding } from './standing'

export function TalkHead({ view, realm, read, onBack }: InView & { read: Reading; onBack: (() => void) | null }) {
  const app = useApp()
  const [renaming, setRenaming] = useState(false)
  const kind = kindOf(view)
  const buttons = (
    <span class="talk-buttons">
      {app.host.value && !renaming && <Controls view={view} realm={realm} onRename={() => setRenaming(true)} />}
      {kind.HeadTools && <kind.HeadTools view={view} realm={realm} />}
      {read.rows.length > 0 && (
        <CopyIcon text={() => transcriptText(read.rows)} label={words.chats.copyAll} testid="copy-transcript" />
      )}
    </span>
  )
  return (
    <header class="talk-head" data-testid="talk-head" data-kind={kind.called(view).id} data-status={view.status}>
      <div class="talk-title">
        {onBack && (
          <button
            type="button"
            class="small ghost"
            data-testid="talk-back"
            aria-label={words.chats.back}
            onClick={onBack}
          >
            ‹ {words.chats.all}
          </button>
        )}
        {renaming ? <Rename view={view} onDone={() => setRenaming(false)} /> : <TalkTitle view={view} realm={realm} />}
        {kind.inline && buttons}
      </div>
      {!kind.inline && <HeadFacts view={view} realm={realm} buttons={buttons} />}
      {view.taskPrompt && kind.showsTask && view.taskPrompt !== view.title && (
        <div class="talk-task">
          <strong>{words.chats.task}:</strong> <Folding text={view.taskPrompt} limit={160} />
        </div>
      )}
      {view.about && <p class="quiet meta">{words.chats.about(view.about.name)}</p>}
      {kind.HeadMore && <kind.HeadMore view={view} realm={realm} />}
      <TalkStanding view={view} realm={realm} />
    </header>
  )
}
