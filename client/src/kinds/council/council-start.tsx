// The form that starts a council: members, task, limit of turns.
import { useEffect, useRef } from 'preact/hooks'
import { useApp } from '../../panels/context'
import { MembersPick } from '../../panels/conversation/members-pick'
import { playedCast } from '../../state/conversations'
import { words } from '../../words'
import type { StartProps } from '../kind'
import { councilWords } from './words'
import { Form } from './form'
import { councilOf } from './members'

const MAX_TURNS = 100

export function CouncilStart(props: StartProps) {
  const { draft, onDraft, realm } = props
  const app = useApp()
  const me = app.model.me?.spectatorId ?? ''
  const { agents } = playedCast(app.model)
  const { chosen } = draft
  // When the form opens with less than two members chosen, it chooses some, because a newcomer cannot know yet whom to
  // choose. It never does so again, so that the person's later choices stay.
  const opened = useRef(false)
  useEffect(() => {
    if (opened.current) return
    opened.current = true
    if (chosen.length < 2) onDraft((now) => ({ ...now, chosen: councilOf(agents, now.chosen) }))
  }, [agents, chosen, onDraft])
  const off = realm.world.settings.agentChats === 'off' && draft.chosen.length > 1
  return (
    <Form
      {...props}
      members={[...draft.chosen, ...(draft.self && me ? [me] : [])]}
      needed={2}
      missing={words.conversation.dialog.whoMissing}
      maxTurns={Math.max(1, Math.min(MAX_TURNS, draft.turns || 1))}
      who={<MembersPick agents={agents} me={me} draft={draft} onDraft={onDraft} />}
      turns={
        <label>
          <span>{words.conversation.dialog.turns}</span>
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
