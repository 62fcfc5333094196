// The entries that match the text in the palette.
import { useEffect, useRef } from 'preact/hooks'
import { Breakable } from '../panels/breakable'
import { paletteWords as w } from '../words-palette'
import type { Entry } from './entries'
import type { List } from './list'

interface Props {
  list: List
  /** The index of the entry to which the pointer moves; -1 for none. */
  onPoint: (at: number) => void
  onPick: (entry: Entry) => void
}

export function PaletteList({ list, onPoint, onPick }: Props) {
  const box = useRef<HTMLUListElement>(null)
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [list])
  return (
    <ul
      ref={box}
      class="palette-list"
      role="listbox"
      id="palette-list"
      aria-label={w.title}
      onPointerLeave={() => onPoint(-1)}
    >
      {list.entries.map((e, i) => (
        <li
          key={e.id}
          id={`palette-${i}`}
          role="option"
          aria-selected={i === list.at}
          data-testid="palette-entry"
          data-kind={e.kind}
          onPointerMove={() => onPoint(i)}
          onClick={() => onPick(e)}
        >
          <span class="palette-kind quiet">{w.kinds[e.kind]}</span>
          <span class="palette-text">
            <Breakable text={e.text} />
          </span>
          {e.note && <span class="palette-note quiet">{e.note}</span>}
        </li>
      ))}
    </ul>
  )
}
