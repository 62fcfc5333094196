// A text area: it grows with what is typed in it, and what Enter does in it.

/**
 * Gives the area the height of its text, at most `most` pixels. Its row keeps its height while
 * the area is measured: whatever stands above would else become taller for that moment, and a
 * list that was read at its end would be scrolled away from it.
 */
export function grow(area: HTMLTextAreaElement, most: number): void {
  const row = area.parentElement
  if (row) row.style.height = `${row.offsetHeight}px`
  area.style.height = 'auto'
  const height = Math.min(most, area.scrollHeight)
  area.style.height = `${height}px`
  if (row) row.style.height = ''
}

/**
 * Whether people touch this page: their keyboards have no Shift and Enter, so Enter is a new line there and the button
 * sends.
 */
export function byTouch(): boolean {
  return typeof matchMedia === 'function' && matchMedia('(pointer: coarse)').matches
}
