// A finding below its line in an open file.
import { useEffect, useId, useState } from 'preact/hooks'
import type { Finding } from '../net/protocol.gen'
import { AcceptedBadge } from '../panels/accepted-badge'
import { FindingDetails } from '../panels/finding-details'
import { gradeOf } from '../panels/finding-grade'
import { SeverityMark } from '../panels/severity-mark'
import { stateOf } from '../state/findings'

interface Props {
  finding: Finding
  open: boolean
  /** Called when the height of the note has changed. */
  onResize: () => void
}

const NOTHING: readonly Finding[] = []
const noRoom = () => null
const stay = () => undefined

export function FileNote({ finding: f, open: first, onResize }: Props) {
  const [open, setOpen] = useState(first)
  const body = useId()
  const suspected = stateOf(f) === 'suspected'
  useEffect(() => onResize(), [open, onResize])
  return (
    <section
      class={`file-finding finding-${suspected ? 'suspected' : f.severity}`}
      data-testid={`file-finding-${f.id}`}
    >
      <h3>
        <SeverityMark severity={f.severity} suspected={suspected} />
        <button
          type="button"
          class="finding-title"
          aria-expanded={open}
          aria-controls={body}
          onClick={() => setOpen(!open)}
        >
          {f.title}
        </button>
      </h3>
      <p class="quiet meta">
        {gradeOf(f)} <AcceptedBadge finding={f} />
      </p>
      <div id={body} hidden={!open}>
        {open && <FindingDetails finding={f} also={NOTHING} roomOf={noRoom} onGo={stay} />}
      </div>
    </section>
  )
}
