// Opens a file in the person's own editor, for hosts on the server's machine. The editor is chosen once and kept in
// this browser.
import { useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { viewerWords } from '../words-viewer'
import { EDITORS, editorUrl } from './editors'

const KEY = 'editor'

export function OpenInEditor({ folder, path, line }: { folder: string; path: string; line: number }) {
  const app = useApp()
  const [id, setId] = useState(() => app.storage.get(KEY) ?? '')
  const editor = EDITORS.find((e) => e.id === id)
  const choose = (now: string) => {
    setId(now)
    app.storage.set(KEY, now)
  }
  const w = viewerWords.editor
  return (
    <span class="file-editor">
      {editor !== undefined && (
        <a class="button small ghost" href={editorUrl(editor, folder, path, line)} data-testid="file-editor-open">
          {w.open(editor.name)}
        </a>
      )}
      <select
        aria-label={w.label}
        data-testid="file-editor"
        value={editor?.id ?? ''}
        onChange={(e) => choose(e.currentTarget.value)}
      >
        {editor === undefined && <option value="">{w.choose}</option>}
        {EDITORS.map((e) => (
          <option key={e.id} value={e.id}>
            {e.name}
          </option>
        ))}
      </select>
    </span>
  )
}
