// A path as a button that opens the file at the line and, beside it, a button that shows the file on the map. If
// the path is a folder, or if the person may not open files, the path's button shows the room instead. A path
// without a room is plain text.
import { words } from '../words'
import { viewerWords } from '../words-viewer'
import { useApp } from './context'
import { Icon } from './icon'

/** Moves to a room. file: the path of a file in it that is marked; "" for none. */
export type GoTo = (room: string, file: string) => void

interface Props {
  path: string
  line: number | undefined
  /** The room of the path; null for none. */
  room: string | null
  onGo: GoTo
  /** The beginning of the test ids of the two buttons. */
  testid: string
}

export function Place({ path, line, room, onGo, testid }: Props) {
  const app = useApp()
  const place = placeText(path, line)
  if (room === null) return <span class="path">{place}</span>
  const isFile = room !== path
  const opens = isFile && app.reads.value
  const show = () => onGo(room, isFile ? path : '')
  return (
    <>
      <button
        type="button"
        class="link path"
        data-testid={`${testid}-path`}
        title={opens ? viewerWords.openFile(path) : words.findings.go(path)}
        onClick={() => (opens ? app.places.open(path, line) : show())}
      >
        {place}
      </button>
      {opens && (
        <button
          type="button"
          class="icon-button place-go"
          data-testid={`${testid}-go`}
          aria-label={words.findings.go(path)}
          title={words.findings.go(path)}
          onClick={show}
        >
          <Icon name="pin" />
        </button>
      )}
    </>
  )
}

function placeText(path: string, line: number | undefined): string {
  if (path === '') return words.findings.whole
  return line ? `${path}:${line}` : path
}
