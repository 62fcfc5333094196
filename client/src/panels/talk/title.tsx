// The title of a conversation and how it stands.
import type { InView } from '../../kinds/kind'
import { kindOf } from '../../kinds/kinds'
import { isOver } from '../../state/views'

export function TalkTitle({ view, realm }: InView) {
  const kind = kindOf(view)
  return (
    <>
      <h3 title={kind.fullTitle(view)}>{view.title || kind.called(view).word}</h3>
      {(!kind.inline || isOver(view.status)) && (
        <span class={`talk-status status-${view.status}`}>
          {kind.headStatus({ view, realm })}
          {kind.HeadNote && <kind.HeadNote view={view} realm={realm} />}
        </span>
      )}
    </>
  )
}
