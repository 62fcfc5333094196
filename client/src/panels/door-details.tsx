// What an agent exactly asks for: the command, or the file and the texts before and after an edit.
import { doorDetails } from '../state/door-details'
import { doorsWords } from '../words-doors'

export function DoorDetails({ input }: { input: string }) {
  const d = doorDetails(input)
  return (
    <div class="door-details" data-testid="door-details">
      {d.file && <p class="door-file">{d.file}</p>}
      {d.command && <pre>{d.command}</pre>}
      {d.before && (
        <>
          <p class="quiet meta">{doorsWords.before}</p>
          <pre class="door-before">{d.before}</pre>
        </>
      )}
      {d.after && (
        <>
          <p class="quiet meta">{doorsWords.after}</p>
          <pre class="door-after">{d.after}</pre>
        </>
      )}
      {d.rest && <pre>{d.rest}</pre>}
    </div>
  )
}
