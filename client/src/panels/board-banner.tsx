// A banner that is shown while the server cannot write the board, the copy of the findings for other programs. No
// finding is lost.
import { words } from '../words'
import { StateMark } from './state-mark'

export function BoardBanner({ note }: { note: string }) {
  return (
    <div class="banner" role="status" data-testid="board-banner">
      <StateMark state="interrupted" />
      <span>
        <strong>{words.save.board}</strong> <span class="quiet">{note}</span>
      </span>
    </div>
  )
}
