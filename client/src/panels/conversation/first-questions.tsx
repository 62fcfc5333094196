// Shown while there are no conversations: buttons with the questions that people usually ask first, and other
// things to do.
import { guideOf } from '../../state/guide'
import { words } from '../../words'
import { useApp } from '../context'
import { useSelect } from '../use-select'
import { AskGuide } from './ask-guide'

export function FirstQuestions() {
  const app = useApp()
  const w = words.conversation.first
  const guide = useSelect(() => guideOf(app.model), [app])
  if (!app.host.value)
    return (
      <div class="empty" data-testid="transcript">
        <p>{w.spectator}</p>
      </div>
    )
  return (
    <div class="empty first-questions" data-testid="transcript">
      {guide && (
        <>
          <p>{w.ask(guide.name)}</p>
          <AskGuide guide={guide} questions={w.questions} testid="first-questions" />
        </>
      )}
      <p class="quiet">{w.new}</p>
      <div class="buttons">
        <button
          type="button"
          data-testid="empty-talk"
          onClick={() => (app.conversations.starting.value = { kind: '', memberIds: [] })}
        >
          {w.begin}
        </button>
      </div>
    </div>
  )
}
