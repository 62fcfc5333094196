// The content of an open file: its text, or the reason why there is no text, and beside it the file's history.
import type { RefObject } from 'preact'
import type { Finding } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import type { RealmModel } from '../state/model'
import { viewerWords } from '../words-viewer'
import { FileNotices } from './file-notices'
import { FilePast } from './file-past'
import { FileText } from './file-text'
import type { TextView } from './text-view'
import type { FileState } from './use-file'

interface Props {
  realm: RealmModel
  path: string
  line: number
  got: FileState
  committed: string | null
  findings: readonly Finding[]
  /** Whether the history is shown. */
  past: boolean
  view: RefObject<TextView | null>
  onAgain: () => void
}

export function FileBody({ realm, path, line, got, committed, findings, past, view, onAgain }: Props) {
  const app = useApp()
  const file = got.state === 'read' ? got.file : null
  const w = viewerWords
  return (
    <>
      {file !== null && <FileNotices file={file} committed={committed} />}
      <div class={`file-body${past ? ' has-past' : ''}`}>
        {got.state === 'loading' && (
          <p class="quiet file-says" role="status">
            {w.loading}
          </p>
        )}
        {got.state === 'failed' && (
          <div class="file-says" role="alert" data-testid="file-failed">
            <p>{got.why === '' ? w.failed : `${w.failed}: ${got.why}.`}</p>
            <button type="button" onClick={onAgain}>
              {w.again}
            </button>
          </div>
        )}
        {file !== null && (file.binary || file.size === 0) && (
          <p class="file-says">{file.binary ? w.binary(file.size) : w.empty}</p>
        )}
        {file !== null && !file.binary && file.size > 0 && (
          <FileText
            key={path}
            file={file}
            findings={findings}
            committed={committed}
            line={line}
            onLine={(n) => app.places.mark(n === line ? 0 : n)}
            view={view}
          />
        )}
        {past && <FilePast key={path} realm={realm} path={path} />}
      </div>
    </>
  )
}
