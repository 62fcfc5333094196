// An open file. On a desktop it lies over the map, on a phone over the whole page. The page loads this component on
// demand.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { parent } from '../map/path'
import type { Finding } from '../net/protocol.gen'
import { useApp } from '../panels/context'
import { useLatest } from '../panels/use-latest'
import { useSelect } from '../panels/use-select'
import type { OpenFile } from '../places'
import type { RealmModel } from '../state/model'
import { FileBody } from './file-body'
import { FileHead } from './file-head'
import { nextLine } from './next-line'
import type { TextView } from './text-view'
import { useCommitted, useFile } from './use-file'
import { useLooking } from './use-looking'
import '../styles/file.css'

interface Props {
  realm: RealmModel
  open: OpenFile
  /** Whether the file covers the whole page. */
  whole: boolean
  onRoom: (path: string) => void
}

export function FileViewer({ realm, open: { path, line, changes: asked = false }, whole, onRoom }: Props) {
  const app = useApp()
  const [tries, setTries] = useState(0)
  const [changes, setChanges] = useState(asked)
  useEffect(() => {
    if (asked) setChanges(true)
  }, [asked, path])
  const [past, setPast] = useState(false)
  const got = useFile(realm, path, tries)
  const file = got.state === 'read' ? got.file : null
  const committed = useCommitted(realm, file, changes)
  const findings = useFindings(realm, path)
  const view = useRef<TextView | null>(null)
  const titleId = useId()
  const close = () => app.places.close()
  const layer = useLayer(whole, path)
  useEscape(close)
  useLooking(path, line)
  const next = nextLine(findings, line)
  return (
    <dialog
      ref={layer}
      class="file-layer"
      aria-labelledby={titleId}
      data-testid="file"
      data-path={path}
      data-state={got.state}
      onCancel={(e) => {
        e.preventDefault()
        close()
      }}
    >
      <FileHead
        realm={realm}
        path={path}
        line={line}
        file={file}
        changes={{ shown: changes, toggle: () => setChanges(!changes) }}
        past={{ shown: past, toggle: () => setPast(!past) }}
        onFind={() => view.current?.find()}
        onNext={next === 0 ? null : () => app.places.mark(next)}
        onBack={app.places.hasPreviousFile.value ? () => app.places.previousFile() : null}
        onRoom={() => onRoom(parent(path))}
        onClose={close}
        titleId={titleId}
      />
      <FileBody
        realm={realm}
        path={path}
        line={line}
        got={got}
        committed={committed}
        findings={findings}
        past={past}
        view={view}
        onAgain={() => setTries(tries + 1)}
      />
    </dialog>
  )
}

/** The findings at a path that are not withdrawn, by line. */
function useFindings(realm: RealmModel, path: string): readonly Finding[] {
  const all = useSelect(() => realm.world.findings, [realm])
  return useMemo(
    () => all.filter((f) => f.path === path && !f.withdrawn).sort((a, b) => (a.line ?? 0) - (b.line ?? 0)),
    [all, path],
  )
}

/**
 * Closes the file on Escape, except in an input field and while a dialog is above the file: those handle the key
 * themselves.
 */
function useEscape(close: () => void): void {
  const now = useLatest(close)
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const at = e.target instanceof Element ? e.target : null
      const taken = at?.closest('input, textarea, select, dialog:not(.file-layer)') != null
      if (e.key === 'Escape' && !e.defaultPrevented && !taken) now.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [now])
}

/** Moves the focus to the file when it opens, and back when it closes. */
function useLayer(whole: boolean, path: string) {
  const layer = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const el = layer.current
    const before = document.activeElement
    return () => {
      if (el?.open) el.close()
      const at = document.activeElement ?? document.body
      if (before instanceof HTMLElement && before.isConnected && (at === document.body || el?.contains(at)))
        before.focus()
    }
  }, [])
  useLayoutEffect(() => {
    const el = layer.current
    if (el === null) return
    if (el.open) el.close()
    if (whole) el.showModal()
    else el.show()
  }, [whole])
  useEffect(() => layer.current?.querySelector<HTMLElement>('[data-first]')?.focus(), [path])
  return layer
}
