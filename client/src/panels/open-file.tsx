// A button that opens a file at a line, where the person may open files.
import { useApp } from './context'
import { viewerWords } from '../words-viewer'

interface Props {
  path: string
  line?: number | undefined
  testid?: string
}

export function OpenFile({ path, line, testid = 'open-file' }: Props) {
  const app = useApp()
  if (!app.reads.value) return null
  return (
    <button
      type="button"
      class="small"
      title={viewerWords.openFile(path)}
      data-testid={testid}
      onClick={() => app.places.open(path, line)}
    >
      {viewerWords.open}
    </button>
  )
}
