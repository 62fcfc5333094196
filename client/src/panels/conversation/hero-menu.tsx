// A menu of what a host can do with an agent: the buttons of HeroActions, for which not every place has space, and
// the item that takes over the agent's role.
import { useEffect, useRef, useState } from 'preact/hooks'
import { playedAgents } from '../../state/conversations'
import { words } from '../../words'
import { useApp } from '../context'
import { HeroActions } from './hero-actions'
import { TakeOver } from './take-over'

export function HeroMenu({ id, name }: { id: string; name: string }) {
  const app = useApp()
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    // Scroll the list so that all of the menu is visible, also below the last hero.
    box.current?.querySelector('[role=menu]')?.scrollIntoView({ block: 'nearest' })
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus({ preventScroll: true })
    const away = (e: Event) => {
      if (!box.current?.contains(e.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [open])
  const { realm } = app.model
  if (!realm || !app.host.value || !playedAgents(app.model).some((a) => a.id === id)) return null
  const onKey = (e: KeyboardEvent) => {
    if (!open) return
    const items = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const i = items.indexOf(document.activeElement as HTMLElement)
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp')
      items[(i + (e.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length]?.focus()
    else if (e.key === 'Escape') {
      setOpen(false)
      button.current?.focus()
    } else if (e.key === 'Tab') return setOpen(false)
    else return
    e.preventDefault()
    e.stopPropagation()
  }
  return (
    <div class="hero-menu" ref={box} onKeyDown={onKey}>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={words.conversation.actions(name)}
        title={words.conversation.actions(name)}
        data-testid={`hero-menu-${id}`}
        onClick={() => setOpen(!open)}
      >
        ⋯
      </button>
      {open && (
        <div class="hero-items" role="menu" aria-label={words.conversation.actions(name)}>
          <HeroActions id={id} onDone={() => setOpen(false)} />
          <TakeOver id={id} onDone={() => setOpen(false)} />
        </div>
      )}
    </div>
  )
}
