// A block of a text, drawn anew only when its own text has changed.
import type { Token } from 'marked'
import { useMemo, useRef } from 'preact/hooks'
import { part } from './parts'

export function Block({ token }: { token: Token }) {
  const kept = useRef(token)
  if (kept.current.raw !== token.raw) kept.current = token
  const same = kept.current
  return useMemo(() => <>{part(same, 0)}</>, [same])
}
