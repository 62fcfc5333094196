// A modal dialog. It is the browser's own dialog element, which keeps the focus inside and closes on Escape.
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words'

export function Dialog({
  title,
  onClose,
  children,
  testid,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
  testid?: string
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // The dialog opens before the browser paints, so that the first key that the person types goes into the dialog.
  useLayoutEffect(() => {
    const el = dialog.current
    const before = document.activeElement
    if (el && !el.open) el.showModal()
    const first =
      el?.querySelector<HTMLElement>('[data-first]') ?? el?.querySelector<HTMLElement>('textarea, input, select')
    first?.focus()
    return () => {
      if (el?.open) el.close()
      const at = document.activeElement ?? document.body
      if (!(before instanceof HTMLElement) || !before.isConnected) return
      if (at === document.body || at === before || el?.contains(at)) giveBack(before)
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={heading}
      data-testid={testid}
      onCancel={(e) => {
        e.preventDefault()
        onClose()
      }}
      onClick={(e) => {
        if (e.target === dialog.current) onClose()
      }}
    >
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="icon-button" onClick={onClose} aria-label={words.close}>
          ✕
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

/**
 * Returns the focus to the element that had it before the dialog opened. Chromium does so when a dialog closes, but
 * before it has computed again that the page is not inert: a text box then gets the keys, and no cursor and no text.
 */
function giveBack(before: HTMLElement): void {
  before.blur()
  void before.offsetHeight // computes the styles
  before.focus()
}
