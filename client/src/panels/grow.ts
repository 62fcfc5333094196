// Helpers for text areas: height, and what Enter does.

/**
 * Sets the area's height to that of its text, at most `most` pixels. The element around the area keeps its height
 * during the measurement; otherwise a list above it would grow for a moment and lose its scroll position at the end.
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
 * Whether this is a touch device. Its keyboard has no Shift+Enter, so that Enter is a new line and only the button
 * sends.
 */
export function isTouchDevice(): boolean {
  return typeof matchMedia === 'function' && matchMedia('(pointer: coarse)').matches
}
