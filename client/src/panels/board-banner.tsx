// A banner that is shown while the server cannot write the copy of the findings for other programs. The server has
// all findings.
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
