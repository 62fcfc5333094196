// Shortening long texts. Pure.

/** The first n characters and an ellipsis, without splitting a surrogate pair. */
export function cut(text: string, n: number): string {
  if (text.length <= n) return text
  const last = text.charCodeAt(n - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? n - 1 : n) + '…'
}

/** The first sentence of a text, or the whole text if it is one sentence. */
export function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s)/s.exec(text)?.[0] ?? text
}

/** An ellipsis and the last n characters. */
export function tail(text: string, n: number): string {
  if (text.length <= n) return text
  const first = text.charCodeAt(text.length - n)
  return '…' + text.slice(text.length - (first >= 0xdc00 && first <= 0xdfff ? n - 1 : n))
}
