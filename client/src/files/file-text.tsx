// The text of an open file, with each finding below its line.
import { h, render } from 'preact'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { FileText as Text, Finding } from '../net/protocol.gen'
import { AppContext, useApp } from '../panels/context'
import { stands } from '../state/findings'
import { viewerWords } from '../words-viewer'
import { FileNote } from './file-note'
import { TextView, type NoteDrawer } from './text-view'
import { shownText } from './use-file'

interface Props {
  file: Text
  findings: readonly Finding[]
  /** The committed version that the text is compared with; null to show the text without a comparison. */
  committed: string | null
  /** The line to which the text is scrolled; 0 for none. */
  line: number
  onLine: (line: number) => void
  /** Receives the text view, so that the head of the file can open the view's search. */
  view: RefObject<TextView | null>
}

/** If a file has at most this many findings, all of them are expanded at first. */
const OPEN = 2

export function FileText({ file, findings, committed, line, onLine, view }: Props) {
  const app = useApp()
  const box = useRef<HTMLDivElement>(null)
  const now = useRef({ findings, onLine, text: '' })
  now.current = { findings, onLine, text: shownText(file) }
  const drawer = useMemo((): NoteDrawer => {
    const draw = (id: string, into: HTMLElement, resized: () => void) => {
      const list = now.current.findings
      const finding = list.find((f) => f.id === id)
      if (finding === undefined) return
      const note = h(FileNote, { finding, open: list.length <= OPEN, onResize: resized })
      render(h(AppContext.Provider, { value: app, children: note }), into)
    }
    return { draw, clear: (into) => render(null, into) }
  }, [app])
  useEffect(() => {
    if (box.current === null) return
    const made = new TextView(box.current, now.current.text, {
      label: viewerWords.text(file.path),
      name: file.path.slice(file.path.lastIndexOf('/') + 1),
      notes: drawer,
      onLine: (n) => now.current.onLine(n),
    })
    view.current = made
    return () => {
      view.current = null
      made.close()
    }
    // If only the text of the same file is new, the view stays, and the effect below replaces the text in it.
  }, [file.path, drawer, view])
  useEffect(() => {
    view.current?.setText(shownText(file))
  }, [file, view])
  useEffect(() => {
    view.current?.setNotes(
      findings.map((f) => {
        // The line of a finding that is only suspected has no colour of danger.
        const mark = `file-line-finding file-line-${stands(f) ? f.severity : 'suspected'}`
        return { id: f.id, line: f.line ?? 0, mark }
      }),
    )
  }, [findings, file.text, file.path, view])
  useEffect(() => view.current?.compare(committed), [committed, file.path, view])
  useEffect(() => view.current?.goTo(line), [line, file.path, view])
  return <div class="file-text" ref={box} data-testid="file-text" />
}
