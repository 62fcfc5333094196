// A part of a text, as an element of this page.
import type { Token } from 'marked'
import { part } from './parts'

export function Part({ token, depth }: { token: Token; depth: number }) {
  return <>{part(token, depth)}</>
}
