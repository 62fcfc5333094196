// What a person can begin with an agent, where the agent is: on its card on the map
// and in the roster (S0-B21).
import { useEffect, useRef, useState } from 'preact/hooks'
import { beginnings } from '../../kinds/kinds'
import { playable } from '../../state/talks'
import { words } from '../../words'
import { useApp } from '../context'

/** The buttons, in a row. Nothing for who may not, and for members that nothing plays. */
export function HeroActions({ id, onDone }: { id: string; onDone?: () => void }) {
  // In a menu they are its items.
  const role = onDone ? ('menuitem' as const) : undefined
  const app = useApp()
  const { realm } = app.model.value
  if (!realm || !app.host.value || !playable(app.model.value).some((a) => a.id === id)) return null
  const ways = beginnings()
    .flatMap((b) => b.withAgent ?? [])
    .sort((a, b) => a.rank - b.rank)
  const act = (what: () => void) => () => {
    what()
    onDone?.()
  }
  return (
    <>
      {ways.map(({ testid, label, act: begin }) => (
        <button
          key={testid}
          type="button"
          class="small"
          role={role}
          data-testid={testid}
          onClick={act(() => begin(app, id))}
        >
          {label}
        </button>
      ))}
    </>
  )
}

/** The same behind a button, where there is no room. */
export function HeroMenu({ id, name }: { id: string; name: string }) {
  const app = useApp()
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const away = (e: Event) => {
      if (!box.current?.contains(e.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [open])
  const { realm } = app.model.value
  if (!realm || !app.host.value || !playable(app.model.value).some((a) => a.id === id)) return null
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
        aria-label={words.chats.actions(name)}
        title={words.chats.actions(name)}
        data-testid={`hero-menu-${id}`}
        onClick={() => setOpen(!open)}
      >
        ⋯
      </button>
      {open && (
        <div class="hero-items" role="menu" aria-label={words.chats.actions(name)}>
          <HeroActions id={id} onDone={() => setOpen(false)} />
        </div>
      )}
    </div>
  )
}
