// A link to another page. If its address is not allowed, only the text is shown.
import type { ComponentChildren } from 'preact'
import { FileNames } from './file-names'
import { safeHref } from './safe-href'

export function Out({ href, children }: { href: string; children: ComponentChildren }) {
  const safe = safeHref(href)
  if (safe === null) return <>{children}</>
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer">
      <FileNames.Provider value={null}>{children}</FileNames.Provider>
    </a>
  )
}
