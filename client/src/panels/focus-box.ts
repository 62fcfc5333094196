// Moves the keyboard focus to the text box of the screen.

/** The selectors of the text boxes. The composer of the open conversation comes before the page's text box. */
const BOXES = ['[data-testid="talk-prompt"]', '[data-testid="prompt"]']

/** The caret goes behind the text, so that the person goes on with it. */
export function focusBox(): void {
  const boxes = BOXES.map((b) => document.querySelector<HTMLTextAreaElement>(b))
  const box = boxes.find((b) => b?.checkVisibility())
  box?.focus()
  box?.setSelectionRange(box.value.length, box.value.length)
}
