// Notices above the text of an open file: the file has bytes that are not text, or masked secrets.
import type { FileText } from '../net/protocol.gen'
import { viewerWords } from '../words-viewer'
import { shownText } from './use-file'

export function FileNotices({ file, committed }: { file: FileText; committed: string | null }) {
  const w = viewerWords
  const masked = file.masked?.length ?? 0
  return (
    <>
      {file.notUtf8 && <p class="notice file-notice">{w.notUtf8}</p>}
      {masked > 0 && (
        <p class="notice file-notice" data-testid="file-masked">
          {w.masked(masked)}
        </p>
      )}
      {committed !== null && committed === shownText(file) && <p class="notice file-notice">{w.changesNone}</p>}
    </>
  )
}
