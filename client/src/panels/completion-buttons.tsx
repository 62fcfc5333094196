// The next steps from the result of a process. The first is the worst finding; without one, the map.
import type { Finding } from '../net/protocol.gen'
import { stands } from '../state/findings'
import { words } from '../words'
import { useApp } from './context'
import { CopyButton } from './copy-button'

interface Props {
  /** The result as Markdown. */
  markdown: () => string
  /** The worst finding of the process. */
  first: Finding | undefined
  onFinding: (id: string) => void
  onMap: () => void
  /** Starts another process; null while one runs. */
  onNew: (() => void) | null
}

export function CompletionButtons({ markdown, first, onFinding, onMap, onNew }: Props) {
  const app = useApp()
  const w = words.completion
  return (
    <div class="buttons">
      {first && (
        <button type="button" class="primary" data-testid="to-findings" onClick={() => onFinding(first.id)}>
          {stands(first) ? w.toFindings : w.toSuspected}
        </button>
      )}
      <button type="button" class={first ? '' : 'primary'} data-testid="keep-reading" onClick={onMap}>
        {w.toMap}
      </button>
      <CopyButton text={markdown} label={w.copy} testid="copy-markdown" look="" />
      {onNew && app.host.value && (
        <button type="button" data-testid="new-process" onClick={onNew}>
          {w.again}
        </button>
      )}
    </div>
  )
}
