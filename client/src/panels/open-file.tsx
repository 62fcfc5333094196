// A button that opens a file at a line. It is shown only if the person may open files.
import { useApp } from './context'
import { viewerWords } from '../words-viewer'

interface Props {
  path: string
  line?: number | undefined
  testid?: string
  /** The label, if the button shows the file's name. */
  name?: string
}

export function OpenFile({ path, line, testid = 'open-file', name = '' }: Props) {
  const app = useApp()
  if (!app.reads.value) return name ? <span>{name}</span> : null
  return (
    <button
      type="button"
      class={name ? 'link' : 'small'}
      title={viewerWords.openFile(path)}
      data-testid={testid}
      onClick={() => app.places.open(path, line)}
    >
      {name || viewerWords.open}
    </button>
  )
}
