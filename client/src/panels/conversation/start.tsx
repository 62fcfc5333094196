// The dialog that starts a conversation: a select of the kind, and the kind's form. Chosen members stay when the kind
// changes.
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { startOptions } from '../../kinds/kinds'
import type { StartDraft } from '../../kinds/kind'
import type { RealmModel } from '../../state/model'
import { driverOf, playedCast } from '../../state/conversations'
import type { StartAsk } from '../../conversations'
import { words } from '../../words'
import { answeredBy } from '../../words-skills'
import { useApp } from '../context'
import { Dialog } from '../dialog'
import { wholeFlags } from '../flags'

export function StartConversation({ realm, ask }: { realm: RealmModel; ask: StartAsk }) {
  const app = useApp()
  const w = words.conversation.dialog
  const ways = startOptions()
  const cast = playedCast(app.model)
  const { agents } = cast
  const [kind, setKind] = useState(ask.kind)
  const pick = useRef<HTMLSelectElement>(null)
  // Each kind has a form of its own, and with the old form the select goes that had the focus.
  useLayoutEffect(() => {
    if (kind !== ask.kind && (document.activeElement ?? document.body) === document.body) pick.current?.focus()
  }, [kind, ask.kind])
  const [draft, setDraft] = useState<StartDraft>({
    chosen: ask.memberIds.filter((id) => agents.some((a) => a.id === id)),
    self: false,
    turns: realm.world.settings.taskMaxTurns,
  })
  const way = ways.find((x) => x.id === kind) ?? ways.find((x) => x.first) ?? ways[0]
  if (!way) return null
  const close = () => (app.conversations.starting.value = null)
  const begun = () => {
    close()
    app.conversations.focusComposer.value = true
  }
  const choice = (
    <label>
      <span>{w.kind}</span>
      <select ref={pick} data-testid="talk-kind" value={way.id} onChange={(e) => setKind(e.currentTarget.value)}>
        {ways.map((x) => (
          <option key={x.id} value={x.id}>
            {x.word}
          </option>
        ))}
      </select>
    </label>
  )
  return (
    <Dialog title={w.title} onClose={close} testid="talk-start">
      {way.needsAgent && agents.length > 0 && (
        <p class="quiet" data-testid="talk-answered-by">
          {answeredBy[driverOf(app.model, cast)]}
        </p>
      )}
      {way.needsAgent && agents.length === 0 ? (
        <div class="fields">
          {choice}
          <p>{wholeFlags(w.nobody)}</p>
        </div>
      ) : (
        <way.Form
          key={way.id}
          realm={realm}
          draft={draft}
          onDraft={setDraft}
          choice={choice}
          onStarted={begun}
          onDone={close}
        />
      )}
    </Dialog>
  )
}
