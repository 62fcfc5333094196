// The name of a file in a text. It is a link that opens the file if the person may open files.
import { addressOf } from '../place'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'

interface Props {
  path: string
  line: number | undefined
  text: string
}

export function FileLink({ path, line, text }: Props) {
  const app = useApp()
  const realmId = app.model.realm?.id
  if (!app.reads.value || realmId === undefined) return <>{text}</>
  const open = (e: MouseEvent) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return // the browser opens the link in another tab or window
    e.preventDefault()
    app.places.open(path, line)
  }
  return (
    <a
      href={addressOf({ kind: 'file', realmId, path, line: line ?? 0 })}
      title={viewerWords.openFile(path)}
      data-testid="file-link"
      onClick={open}
    >
      {text}
    </a>
  )
}
