// A path as a button that moves to its room; as text if it has no room.
import { words } from '../words'

interface Props {
  path: string
  line: number | undefined
  /** The room of the path; null for none. */
  room: string | null
  onGo: (room: string) => void
  testid: string
}

export function Place({ path, line, room, onGo, testid }: Props) {
  const place = placeText(path, line)
  if (room === null) return <span class="path">{place}</span>
  return (
    <button
      type="button"
      class="link path"
      data-testid={testid}
      title={words.findings.go(path)}
      onClick={() => onGo(room)}
    >
      {place}
    </button>
  )
}

function placeText(path: string, line: number | undefined): string {
  if (path === '') return words.findings.whole
  return line ? `${path}:${line}` : path
}
