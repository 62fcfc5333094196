// A link out of the page; where it would do anything else than show another page it is only its words.
import type { ComponentChildren } from 'preact'
import { safeHref } from './safe-href'

export function Out({ href, children }: { href: string; children: ComponentChildren }) {
  const safe = safeHref(href)
  if (safe === null) return <>{children}</>
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
