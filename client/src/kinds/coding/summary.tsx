// The button in the head of a session that shows its summary.
import { useState } from 'preact/hooks'
import type { ConversationProps } from '../kind'
import { SummaryDialog } from './summary-dialog'
import { codingWords } from './words'

export function Summary({ view, realm }: ConversationProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        class="small"
        title={codingWords.summaryHint}
        data-testid="session-summary"
        onClick={() => setOpen(true)}
      >
        {codingWords.summary}
      </button>
      {open && <SummaryDialog realmId={realm.id} id={view.conversationId} onClose={() => setOpen(false)} />}
    </>
  )
}
