// The completions of the typed command, above the page's text box.
import { useEffect } from 'preact/hooks'
import { words } from '../words'
import type { Choice } from './choices'

interface Props {
  menu: readonly Choice[]
  /** The index of the selected completion. */
  at: number
  onChoose: (choice: Choice) => void
}

export function PromptMenu({ menu, at, onChoose }: Props) {
  useEffect(() => {
    document.getElementById(`prompt-menu-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at, menu.length])
  if (menu.length === 0) return null
  return (
    <ul class="menu" role="listbox" id="prompt-menu" aria-label={words.prompt.menu} data-testid="menu">
      {menu.map((c, i) => (
        <li
          key={c.text}
          id={`prompt-menu-${i}`}
          role="option"
          aria-selected={i === at}
          onPointerDown={(e) => e.preventDefault()}
          onClick={() => onChoose(c)}
        >
          <code>{c.text}</code>
          <span class="quiet">{c.hint}</span>
        </li>
      ))}
    </ul>
  )
}
