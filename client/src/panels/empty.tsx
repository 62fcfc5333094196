// The content of an empty tab or list: a text that says what will be shown here, and buttons that start it.
import type { ComponentChildren } from 'preact'

interface Props {
  text: string
  next: string
  testid?: string
  /** An element above the text. */
  above?: ComponentChildren
  /** The buttons. The caller leaves out those that this person may not use. */
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
