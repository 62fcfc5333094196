// Parts of texts that are too long for where they stand. Pure.

/** The first n characters and an ellipsis; a pair of surrogates stays whole. */
export function cut(text: string, n: number): string {
  if (text.length <= n) return text
  const last = text.charCodeAt(n - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? n - 1 : n) + '…'
}

/** The last n characters of a text that still grows. */
export function tail(text: string, n: number): string {
  if (text.length <= n) return text
  const first = text.charCodeAt(text.length - n)
  return '…' + text.slice(text.length - (first >= 0xdc00 && first <= 0xdfff ? n - 1 : n))
}
