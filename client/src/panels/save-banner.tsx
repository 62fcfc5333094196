// A banner that is shown while the server cannot save everything, or cannot write the board.
import { words } from '../words'
import { useApp } from './context'
import { saveText } from './save-text'
import { StateMark } from './state-mark'
import { BoardBanner } from './board-banner'

export function SaveBanner() {
  const save = useApp().model.save
  if (save?.board && save.state === 'saved') return <BoardBanner note={save.board} />
  if (!save || save.state === 'saved') return null
  return (
    <div class="banner banner-unsaved" role="status" data-testid="save-banner" data-state={save.state}>
      <StateMark state="interrupted" />
      <span>
        <strong>{saveText(save)}.</strong> {words.save.details[save.state]}
        {save.message && <span class="quiet"> {save.message}</span>}
        {save.board && <span class="quiet"> {save.board}</span>}
      </span>
    </div>
  )
}
