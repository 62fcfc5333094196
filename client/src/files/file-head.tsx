// The head of an open file: its name, its properties, and the buttons.
import type { FileText } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { CopyButton } from '../panels/copy-button'
import type { RealmModel } from '../state/model'
import { facts } from '../words-format'
import { viewerWords } from '../words-viewer'
import { isLoopback } from './editors'
import { OpenInEditor } from './open-in-editor'

interface Props {
  realm: RealmModel
  path: string
  line: number
  /** null until the file is read. */
  file: FileText | null
  changes: { shown: boolean; toggle: () => void }
  past: { shown: boolean; toggle: () => void }
  onFind: () => void
  /** Shows the next finding after the marked line; null if there is none. */
  onNext: (() => void) | null
  /** Goes back to the file that was open before; null for none. */
  onBack: (() => void) | null
  onRoom: () => void
  onClose: () => void
  titleId: string
}

export function FileHead(props: Props) {
  const { realm, path, line, file, changes, past, onFind, onNext, onBack, onRoom, onClose, titleId } = props
  const app = useApp()
  const w = viewerWords
  const at = path.lastIndexOf('/') + 1
  const folder = realm.world.realm.path
  const text = file !== null && !file.binary
  return (
    <header class="file-head">
      <div class="file-title">
        <h2 id={titleId} tabIndex={-1} class="mono" data-testid="file-title" data-first>
          <span class="quiet">{path.slice(0, at)}</span>
          {path.slice(at)}
        </h2>
        <button type="button" class="icon-button" onClick={onClose} aria-label={w.close} data-testid="file-close">
          ✕
        </button>
      </div>
      {file !== null && (
        <p class="quiet file-facts" data-testid="file-facts" data-head={file.head}>
          {facts([w.facts(file), file.head && w.head[file.head]])}
        </p>
      )}
      <div class="file-acts">
        {onBack && (
          <button type="button" class="small ghost" onClick={onBack} title={w.backHint} data-testid="file-back">
            {w.back}
          </button>
        )}
        {text && (
          <button type="button" class="small ghost" onClick={onFind} data-testid="file-find">
            {w.find}
          </button>
        )}
        {onNext && (
          <button type="button" class="small ghost" onClick={onNext} data-testid="file-next">
            {w.next}
          </button>
        )}
        {text && file.head === 'differs' && (
          <button
            type="button"
            class="small ghost"
            aria-pressed={changes.shown}
            title={w.changesHint}
            onClick={changes.toggle}
            data-testid="file-changes"
          >
            {w.changes}
          </button>
        )}
        <button
          type="button"
          class="small ghost"
          aria-pressed={past.shown}
          title={w.aboutHint}
          onClick={past.toggle}
          data-testid="file-history"
        >
          {w.about}
        </button>
        <CopyButton
          text={() => app.places.linkTo({ kind: 'file', realmId: realm.id, path, line })}
          label={w.copyLink}
          testid="file-copy-link"
        />
        <button type="button" class="small ghost" onClick={onRoom} data-testid="file-room">
          {w.room}
        </button>
        {app.host.value && folder && isLoopback(location.hostname) && (
          <OpenInEditor folder={folder} path={path} line={line} />
        )}
      </div>
    </header>
  )
}
