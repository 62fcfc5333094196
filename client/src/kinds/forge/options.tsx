// The options of a forge's question. If the question takes one option, a click on an option sends it at once. If it
// takes several, the button Done sends them.
import { useRef } from 'preact/hooks'
import type { ConversationView, ForgeQuestion } from '../../net/protocol.gen'
import { useApp } from '../../panels/context'
import { coded } from './coded'
import { forgeWords } from './words'

/**
 * The maximum length, in characters, of a question that labels the group of its options. If the question is longer, the
 * group has a general label, and only the smith's row has the question.
 */
const MAX_LABEL = 200
/** The id of the option "none of them". */
const NONE = 'none'

/** Arrow keys move between the options, digits choose one. */
export function ForgeOptions({
  view,
  question: q,
  picked,
  onPick,
  busy,
}: {
  view: ConversationView
  question: ForgeQuestion
  picked: readonly string[]
  onPick: (ids: readonly string[]) => void
  busy: boolean
}) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const w = forgeWords
  if (q.options.length === 0) return null
  const off = busy || app.conversations.isSending(view.conversationId)
  const choose = (id: string) => {
    if (off) return
    if (q.many) onPick(pickOne(picked, id))
    else app.conversations.say(view.conversationId, '', undefined, [id])
  }
  const onKey = (e: KeyboardEvent) => {
    const buttons = [...(box.current?.querySelectorAll<HTMLButtonElement>('button') ?? [])]
    const i = buttons.indexOf(document.activeElement as HTMLButtonElement)
    if (e.key === 'ArrowDown' || e.key === 'ArrowRight') buttons[Math.min(buttons.length - 1, i + 1)]?.focus()
    else if (e.key === 'ArrowUp' || e.key === 'ArrowLeft') buttons[Math.max(0, i - 1)]?.focus()
    else if (/^[1-9]$/.test(e.key) && q.options[Number(e.key) - 1]) choose(q.options[Number(e.key) - 1]?.id ?? '')
    else return
    e.preventDefault()
  }
  return (
    <div
      ref={box}
      class="options"
      role="group"
      aria-label={q.text !== '' && q.text.length <= MAX_LABEL ? q.text.replaceAll('`', '') : w.answers}
      data-testid="forge-options"
      data-topic={q.topic}
      onKeyDown={onKey}
    >
      <div class="options-list">
        {q.options.map((o, i) => (
          <button
            key={o.id}
            type="button"
            class="option"
            aria-pressed={q.many ? picked.includes(o.id) : undefined}
            disabled={off}
            data-testid={`option-${o.id}`}
            onClick={() => choose(o.id)}
          >
            <span class="option-n" aria-hidden="true">
              {i + 1}
            </span>
            <span>{coded(o.label)}</span>
          </button>
        ))}
      </div>
      {q.many && (
        <div class="options-foot">
          <span class="quiet meta">{w.many}</span>
          <button
            type="submit"
            class={picked.length > 0 ? 'small primary' : 'small'}
            disabled={off}
            data-testid="forge-done"
          >
            {picked.length > 0 ? w.doneN(picked.length) : w.done}
          </button>
        </div>
      )}
    </div>
  )
}

/** The picked options after one more click on an option. Picking "none of them" unpicks all others. */
function pickOne(picked: readonly string[], id: string): readonly string[] {
  if (picked.includes(id)) return picked.filter((x) => x !== id)
  return id === NONE ? [NONE] : [...picked.filter((x) => x !== NONE), id]
}
