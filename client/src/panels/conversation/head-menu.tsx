// A button in the head of a conversation that shows the rarer buttons below it. They are a popover, because the head
// scrolls and would cut them.
import type { ComponentChildren, RefObject } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../../words'

interface Props {
  /** The button that shows the others. It gets the focus when one of the others closes the menu. */
  button: RefObject<HTMLButtonElement | null>
  open: boolean
  onOpen: (open: boolean) => void
  children: ComponentChildren
}

/** The distance of the buttons from the button that shows them and from the edge of the page, in CSS pixels. */
const GAP = 4

export function HeadMenu({ button, open, onOpen, children }: Props) {
  const box = useRef<HTMLSpanElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const [from, to] = [button.current, list.current]
    if (!open || !from || !to) return
    to.showPopover()
    const at = from.getBoundingClientRect()
    const lowest = innerHeight - to.offsetHeight - GAP
    to.style.top = `${Math.max(GAP, Math.min(at.bottom + GAP, lowest))}px`
    to.style.right = `${Math.max(GAP, document.documentElement.clientWidth - at.right)}px`
    to.querySelector('button')?.focus()
    const away = (e: Event) => {
      if (!box.current?.contains(e.target as Node)) onOpen(false)
    }
    const closed = () => onOpen(false)
    document.addEventListener('pointerdown', away)
    addEventListener('resize', closed)
    return () => {
      document.removeEventListener('pointerdown', away)
      removeEventListener('resize', closed)
    }
  }, [button, open, onOpen])
  const onKey = (e: KeyboardEvent) => {
    if (!open || e.key !== 'Escape') return
    e.preventDefault()
    e.stopPropagation()
    button.current?.focus()
    onOpen(false)
  }
  const onBlur = (e: FocusEvent) => {
    if (e.relatedTarget && !box.current?.contains(e.relatedTarget as Node)) onOpen(false)
  }
  return (
    <span class="head-menu" ref={box} onKeyDown={onKey} onFocusOut={onBlur}>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={words.conversation.moreFor}
        title={words.conversation.moreFor}
        data-testid="talk-more"
        onClick={() => onOpen(!open)}
      >
        ⋯
      </button>
      {open && (
        <div
          ref={list}
          id={id}
          class="head-items"
          popover="manual"
          role="group"
          aria-label={words.conversation.moreFor}
          data-testid="talk-more-items"
        >
          {children}
        </div>
      )}
    </span>
  )
}
