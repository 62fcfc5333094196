// The button that writes the line that accepts a finding. Without a reason it does nothing and says why; the Tab key
// still reaches it.
import { useId } from 'preact/hooks'
import { viewerWords } from '../words-viewer'

const w = viewerWords.accept

/** busy: whether the line is being written. empty: whether the reason is still missing. */
export function WriteLine({ busy, empty }: { busy: boolean; empty: boolean }) {
  const hint = useId()
  return (
    <>
      <button
        type="submit"
        class="small"
        aria-disabled={busy || empty}
        aria-describedby={empty ? hint : undefined}
        title={w.writeHint}
        data-testid="finding-accept-write"
      >
        {w.write}
      </button>
      {empty && (
        <span id={hint} class="quiet meta" data-testid="finding-accept-first">
          {w.first}
        </span>
      )}
    </>
  )
}
