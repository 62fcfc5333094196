// Beginning a council: who, about what, and for how many turns.
import { useApp } from '../../panels/context'
import { MembersPick } from '../../panels/talk/members-pick'
import { company } from '../../state/talks'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { councilWords } from './words'
import { Form } from './form'

const MAX_TURNS = 100

export function CouncilStart(props: StartProps) {
  const { draft, onDraft, realm } = props
  const app = useApp()
  const me = app.model.me?.spectatorId ?? ''
  const { agents } = company(app.model)
  const off = realm.world.settings.agentChats === 'off' && draft.chosen.length > 1
  return (
    <Form
      {...props}
      members={[...draft.chosen, ...(draft.self && me ? [me] : [])]}
      needed={2}
      missing={words.chats.dialog.whoMissing}
      maxTurns={Math.max(1, Math.min(MAX_TURNS, draft.turns || 1))}
      who={<MembersPick agents={agents} me={me} draft={draft} onDraft={onDraft} />}
      turns={
        <label>
          <span>{words.chats.dialog.turns}</span>
          <input
            type="number"
            min={1}
            max={MAX_TURNS}
            data-testid="talk-turns"
            value={draft.turns}
            onInput={(e) => onDraft((now) => ({ ...now, turns: e.currentTarget.valueAsNumber || 0 }))}
          />
        </label>
      }
      note={off ? councilWords.off : ''}
    />
  )
}
