// What the conversations show before there is one: the questions that people ask first, as buttons, and what else there
// is to do.
import { guideOf } from '../../state/guide'
import { words } from '../../words'
import { useApp } from '../context'
import { useSelect } from '../use-select'

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
          <div class="next-questions" role="group" aria-label={w.ask(guide.name)} data-testid="first-questions">
            {w.questions.map((question) => (
              <button key={question} type="button" onClick={() => app.command(`/ask ${guide.id} ${question}`)}>
                {question}
              </button>
            ))}
          </div>
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
