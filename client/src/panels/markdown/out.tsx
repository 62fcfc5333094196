// A link in a text: to a place of the realm or to another page. If its address is not allowed, only the text is shown.
import type { ComponentChildren } from 'preact'
import { FileNames } from './file-names'
import { PlaceLink, usePlaceOf } from './place-link'
import { safeHref } from './safe-href'

export function Out({ href, children }: { href: string; children: ComponentChildren }) {
  const place = usePlaceOf(href)
  const safe = safeHref(href)
  const inside = <FileNames.Provider value={null}>{children}</FileNames.Provider>
  if (place !== null) return <PlaceLink place={place}>{inside}</PlaceLink>
  if (safe === null) return <>{children}</>
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer">
      {inside}
    </a>
  )
}
