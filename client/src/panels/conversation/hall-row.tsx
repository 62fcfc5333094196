// The entry in the list of conversations that shows the messages outside of any conversation.
import { words } from '../../words'
import { HALL } from '../../conversations'
import { StateMark } from '../state-mark'

export function HallRow({ chosen, onPick }: { chosen: boolean; onPick: (id: string) => void }) {
  return (
    <li>
      <button
        type="button"
        class="conversation-row"
        aria-current={chosen ? 'true' : undefined}
        data-testid="talk-hall"
        onClick={() => onPick(HALL)}
      >
        <StateMark state="open" />
        <span class="conversation-name">{words.conversation.hall}</span>
        <span class="conversation-meta quiet">{words.conversation.hallMeta}</span>
      </button>
    </li>
  )
}
