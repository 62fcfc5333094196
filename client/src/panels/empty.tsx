// What a view shows while it is empty: that nothing is there, what will be, and the buttons that bring it about.
import type { ComponentChildren } from 'preact'

interface Props {
  text: string
  next: string
  testid?: string
  /** Stands above the text. */
  above?: ComponentChildren
  /** The buttons; those that this person may not use are left out. */
  children?: ComponentChildren
}

export function Empty({ text, next, testid, above, children }: Props) {
  return (
    <div class="empty" data-testid={testid}>
      {above}
      <p>{text}</p>
      <p class="quiet">{next}</p>
      <div class="buttons">{children}</div>
    </div>
  )
}
