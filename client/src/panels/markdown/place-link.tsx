// A link to a place of the realm that the page shows: it shows that place, as the place's address would.
import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { addressOf, placeAt, type Place } from '../../place'
import { AppContext } from '../context'

/** The place that an address in a text names; null if it names none of the realm that the page shows. */
export function usePlaceOf(href: string): Place | null {
  const app = useContext(AppContext)
  const at = href.indexOf('#')
  const place =
    at < 0 ? placeAt({ pathname: href, hash: '' }) : placeAt({ pathname: href.slice(0, at), hash: href.slice(at) })
  return place !== null && place.realmId === app?.model.realm?.id ? place : null
}

export function PlaceLink({ place, children }: { place: Place; children: ComponentChildren }) {
  const app = useContext(AppContext)
  const visit = (e: MouseEvent) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey) return // the browser opens the link in another tab or window
    e.preventDefault()
    app?.places.visit(place)
  }
  return (
    <a href={addressOf(place)} data-testid="place-link" onClick={visit}>
      {children}
    </a>
  )
}
