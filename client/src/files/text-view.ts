// A read-only CodeMirror view of a file's text, and its configuration. CodeMirror creates elements only for the
// visible lines, so a large file needs few. The page loads this file and the grammar of each language on demand.
import { foldGutter, foldKeymap, LanguageDescription, syntaxHighlighting } from '@codemirror/language'
import { languages } from '@codemirror/language-data'
import { unifiedMergeView } from '@codemirror/merge'
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
import {
  Compartment,
  EditorState,
  RangeSet,
  StateEffect,
  StateField,
  type Extension,
  type Range,
} from '@codemirror/state'
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
  type DecorationSet,
} from '@codemirror/view'
import { classHighlighter } from '@lezer/highlight'

/** An element that is shown below a line of the text. */
export interface Note {
  id: string
  /** The line number from 1; 0 puts the note above the first line. */
  line: number
  /** The CSS class that the line gets. */
  mark: string
}

/** Draws and removes the elements of notes. */
export interface NoteDrawer {
  draw: (id: string, into: HTMLElement, resized: () => void) => void
  clear: (into: HTMLElement) => void
}

export interface TextViewWiring {
  label: string
  /** The file's name, which determines the language. */
  name: string
  notes: NoteDrawer
  /** Called when the person clicks a line number. */
  onLine: (line: number) => void
}

/**
 * If a line of the text is longer than this, the text is shown without highlighting and folding. Such files are
 * generated.
 */
const MAX_COLUMNS = 20_000

const setNotes = StateEffect.define<readonly Note[]>()
const setLine = StateEffect.define<number>()

export class TextView {
  readonly #view: EditorView
  readonly #language = new Compartment()
  readonly #diff = new Compartment()
  #closed = false

  constructor(parent: HTMLElement, text: string, wiring: TextViewWiring) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({ doc: text, extensions: this.#extensions(wiring) }),
    })
    if (longestLine(text) <= MAX_COLUMNS) void this.#highlight(wiring.name)
  }

  /** Replaces the notes. */
  setNotes(notes: readonly Note[]): void {
    this.#view.dispatch({ effects: setNotes.of(notes) })
  }

  /** Replaces the text. */
  setText(text: string): void {
    const { doc } = this.#view.state
    if (doc.toString() !== text) this.#view.dispatch({ changes: { from: 0, to: doc.length, insert: text } })
  }

  /** Marks a line; 0 marks none. The text scrolls to it if it is out of sight. */
  goTo(line: number): void {
    const { doc } = this.#view.state
    if (line < 1 || line > doc.lines) {
      this.#view.dispatch({ effects: setLine.of(0) })
      return
    }
    const at = doc.line(line).from
    this.#view.dispatch({
      selection: { anchor: at },
      effects: this.#sees(at) ? setLine.of(line) : [setLine.of(line), EditorView.scrollIntoView(at, { y: 'center' })],
    })
  }

  /** Shows the differences from an older text; null removes the comparison. */
  compare(older: string | null): void {
    const shown: Extension =
      older === null
        ? []
        : unifiedMergeView({
            original: older,
            mergeControls: false,
            highlightChanges: true,
            gutter: true,
            collapseUnchanged: { margin: 3, minSize: 6 },
            diffConfig: { scanLimit: 5_000, timeout: 2_000 },
          })
    this.#view.dispatch({ effects: this.#diff.reconfigure(shown) })
  }

  find(): void {
    openSearchPanel(this.#view)
  }

  close(): void {
    this.#closed = true
    this.#view.destroy()
  }

  #extensions({ label, notes, onLine }: TextViewWiring): Extension {
    return [
      lineNumbers({
        domEventHandlers: {
          mousedown: (view, block) => {
            onLine(view.state.doc.lineAt(block.from).number)
            return true
          },
        },
      }),
      foldGutter(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      search({ top: true }),
      keymap.of([...searchKeymap, ...foldKeymap]),
      // The page's Content-Security-Policy blocks style elements that lack the nonce of the page.
      EditorView.cspNonce.of(document.querySelector<HTMLElement>('meta[name="style-nonce"]')?.nonce ?? ''),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        tabindex: '0',
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-readonly': 'true',
        'aria-label': label,
      }),
      syntaxHighlighting(classHighlighter),
      noteField(notes),
      lineField,
      this.#language.of([]),
      this.#diff.of([]),
    ]
  }

  #sees(at: number): boolean {
    const block = this.#view.lineBlockAt(at)
    const { scrollTop, clientHeight } = this.#view.scrollDOM
    return clientHeight > 0 && block.top >= scrollTop && block.bottom <= scrollTop + clientHeight
  }

  async #highlight(name: string): Promise<void> {
    const description = LanguageDescription.matchFilename(languages, name)
    if (description === null) return
    try {
      const support = await description.load()
      if (!this.#closed) this.#view.dispatch({ effects: this.#language.reconfigure(support) })
    } catch {
      // If the grammar cannot be loaded, the text stays without highlighting.
    }
  }
}

function longestLine(text: string): number {
  let longest = 0
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    longest = Math.max(longest, (end < 0 ? text.length : end) - from)
    if (end < 0) break
    from = end + 1
  }
  return longest
}

/** The field of the editor's state that has the marked line. */
const lineField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (old, tr) => {
    for (const e of tr.effects) {
      if (!e.is(setLine)) continue
      if (e.value < 1) return Decoration.none
      return Decoration.set([Decoration.line({ class: 'file-line-marked' }).range(tr.state.doc.line(e.value).from)])
    }
    return old
  },
  provide: (f) => EditorView.decorations.from(f),
})

/** The field of the editor's state that draws each note below its line. */
function noteField(drawer: NoteDrawer): Extension {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update: (old, tr) => {
      for (const e of tr.effects) if (e.is(setNotes)) return decorations(tr.state, e.value, drawer)
      return old
    },
    provide: (f) => EditorView.decorations.from(f),
  })
}

function decorations(state: EditorState, notes: readonly Note[], drawer: NoteDrawer): DecorationSet {
  const out: Range<Decoration>[] = []
  const marked = new Set<number>()
  for (const note of notes) {
    const number = Math.min(Math.max(note.line, 1), state.doc.lines)
    const line = state.doc.line(number)
    const above = note.line < 1
    out.push(
      Decoration.widget({ widget: new NoteWidget(note.id, drawer), block: true, side: above ? -1 : 1 }).range(
        above ? line.from : line.to,
      ),
    )
    if (above || marked.has(number)) continue
    marked.add(number)
    out.push(Decoration.line({ class: note.mark }).range(line.from))
  }
  return RangeSet.of(out, true)
}

class NoteWidget extends WidgetType {
  readonly #id: string
  readonly #drawer: NoteDrawer

  constructor(id: string, drawer: NoteDrawer) {
    super()
    this.#id = id
    this.#drawer = drawer
  }

  override eq(other: NoteWidget): boolean {
    return other.#id === this.#id
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = document.createElement('div')
    box.className = 'file-note'
    this.#drawer.draw(this.#id, box, () => view.requestMeasure())
    return box
  }

  override destroy(dom: HTMLElement): void {
    this.#drawer.clear(dom)
  }

  override ignoreEvent(): boolean {
    return true
  }
}
