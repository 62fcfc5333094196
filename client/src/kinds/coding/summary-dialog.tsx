// The dialog with the summary of a session: the report that the server makes of it, to read, to copy and to download.
import { useEffect, useState } from 'preact/hooks'
import { askText, type Answer } from '../../net/ask'
import { exportUrl } from '../../net/url'
import { CopyButton } from '../../panels/copy-button'
import { Dialog } from '../../panels/dialog'
import { Markdown } from '../../panels/markdown/markdown'
import { codingWords } from './words'

interface Props {
  realmId: string
  /** The conversation of the session. */
  id: string
  onClose: () => void
}

export function SummaryDialog({ realmId, id, onClose }: Props) {
  const [answer, setAnswer] = useState<Answer<string>>(null)
  const url = exportUrl(location, realmId, 'markdown', id)
  useEffect(() => {
    const stop = new AbortController()
    void askText(url, stop.signal).then(setAnswer)
    return () => stop.abort()
  }, [url])
  const text = answer !== null && 'got' in answer ? answer.got : null
  return (
    <Dialog title={codingWords.summary} onClose={onClose} testid="summary">
      {answer === null && <p class="quiet">{codingWords.summaryLoading}</p>}
      {answer !== null && 'failed' in answer && <p role="alert">{codingWords.summaryFailed(answer.failed)}</p>}
      {text !== null && (
        <>
          <div class="buttons export">
            <CopyButton text={() => text} label={codingWords.summaryCopy} testid="summary-copy" look="small" />
            <a href={url} download="" data-testid="summary-download">
              {codingWords.summaryDownload}
            </a>
          </div>
          <div class="markdown text summary-text">
            <Markdown text={text} />
          </div>
        </>
      )}
    </Dialog>
  )
}
