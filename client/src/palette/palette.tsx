// The command palette: a field, and the entries that fit what is typed in it. It is loaded when it is first opened.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { useSelect } from '../panels/use-select'
import { paletteWords as w } from '../words-palette'
import { entriesOf, type Entry, type Target } from './entries'
import { matches } from './match'

interface Props {
  onPick: (target: Target) => void
  onClose: () => void
}

export function Palette({ onPick, onClose }: Props) {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const entries = useSelect(() => entriesOf(app.model), [app])
  const found = useMemo(() => matches(entries, typed), [entries, typed])
  const here = Math.min(at, found.entries.length - 1)
  useEffect(() => {
    if (app.host.peek()) app.send({ type: 'player:list-realms' })
  }, [app])
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [here, found])
  const pick = (e: Entry | undefined) => {
    if (e === undefined) return
    onClose()
    onPick(e.target)
  }
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.isComposing) return
    const count = found.entries.length
    const to = step(e.key, here, count)
    if (to !== null) setAt((now) => step(e.key, Math.min(now, count - 1), count) ?? now)
    else if (e.key === 'Enter') pick(found.entries[here])
    else return
    e.preventDefault()
  }
  return (
    <Dialog title={w.title} onClose={onClose} testid="palette">
      <input
        type="text"
        role="combobox"
        data-first
        data-testid="palette-text"
        value={typed}
        maxLength={200}
        placeholder={w.hint}
        aria-label={w.label}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={here >= 0 ? `palette-${here}` : undefined}
        onInput={(e) => {
          setTyped(e.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ul ref={list} class="palette-list" role="listbox" id="palette-list" aria-label={w.title}>
        {found.entries.map((e, i) => (
          <li
            key={e.id}
            id={`palette-${i}`}
            role="option"
            aria-selected={i === here}
            data-testid="palette-entry"
            data-kind={e.kind}
            onClick={() => pick(e)}
          >
            <span class="palette-kind quiet">{w.kinds[e.kind]}</span>
            <span class="palette-text">{e.text}</span>
            {e.note && <span class="palette-note quiet">{e.note}</span>}
          </li>
        ))}
      </ul>
      <p class="quiet meta" role="status">
        {found.entries.length === 0 ? w.none(typed.trim()) : w.found(found.entries.length, found.more)}
      </p>
    </Dialog>
  )
}

/** The index to which a key moves from `at` among `count` entries; null if the key does not move. */
function step(key: string, at: number, count: number): number | null {
  if (count === 0) return null
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at + count - 1) % count
  if (key === 'PageDown') return Math.min(count - 1, at + 10)
  if (key === 'PageUp') return Math.max(0, at - 10)
  return null
}
