// The hall in the list of conversations.
import { words } from '../../words'
import { HALL } from '../../talks'
import { StateMark } from '../state-mark'

export function HallRow({ chosen, onPick }: { chosen: boolean; onPick: (id: string) => void }) {
  return (
    <li>
      <button
        type="button"
        class="talk-row"
        aria-current={chosen ? 'true' : undefined}
        data-testid="talk-hall"
        onClick={() => onPick(HALL)}
      >
        <StateMark state="open" />
        <span class="talk-name">{words.chats.hall}</span>
        <span class="talk-meta quiet">{words.chats.hallMeta}</span>
      </button>
    </li>
  )
}
