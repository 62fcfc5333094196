// A block of a text, drawn anew only when its own text has changed.
import type { Token } from 'marked'
import { useMemo } from 'preact/hooks'
import { part } from './parts'

export function Block({ token }: { token: Token }) {
  return useMemo(() => <>{part(token, 0)}</>, [token.raw])
}
