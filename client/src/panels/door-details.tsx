// The details of a permission question: the command, or the file and the texts before and after an edit.
import type { DoorDetails as Details } from '../state/door-details'
import { words } from '../words'
import { doorsWords } from '../words-doors'

export function DoorDetails({ of: d }: { of: Details }) {
  return (
    <div class="agent-door-details" data-testid="door-details">
      {d.ignored && <p class="quiet">{words.conversation.tool.ignored(d.ignored)}</p>}
      {d.file && <p class="agent-door-file">{d.file}</p>}
      {d.command && <pre>{d.command}</pre>}
      {(d.before || d.after) && (
        <div class="agent-door-diff">
          {d.before && (
            <div>
              <p class="quiet meta">{doorsWords.before}</p>
              <pre class="agent-door-before">{d.before}</pre>
            </div>
          )}
          {d.after && (
            <div>
              <p class="quiet meta">{doorsWords.after}</p>
              <pre class="agent-door-after">{d.after}</pre>
            </div>
          )}
        </div>
      )}
      {d.rest && <pre>{d.rest}</pre>}
    </div>
  )
}
