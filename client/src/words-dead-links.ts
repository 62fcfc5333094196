// What the page says at an address that leads to nothing. Part of words.ts.
export const deadLinkWords = {
  finding: (id: string) =>
    `There is no finding ${id} in this realm. The link may be incomplete or from another realm; the findings of this ` +
    'realm are listed here.',
  folder: (path: string) =>
    `There is no folder ${path} on the map, or not any more. It may have been moved, or git ignores it.`,
  /** message: the sentence of the server that there is no such conversation. */
  talk: (message: string) => `${message} The link may be incomplete or from another realm.`,
  close: 'Close',
}

/** A message of the server as a sentence: with a capital at the beginning and a full stop at the end. */
export function sentence(message: string): string {
  const text = message.trim()
  if (text === '') return ''
  return text.slice(0, 1).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}
