// A block of Markdown. It renders only when its own text changes.
import type { Token } from 'marked'
import { useMemo, useRef } from 'preact/hooks'
import { part } from './parts'

export function Block({ token }: { token: Token }) {
  const kept = useRef(token)
  if (kept.current.raw !== token.raw) kept.current = token
  const same = kept.current
  return useMemo(() => <>{part(same, 0)}</>, [same])
}
