// The window of the page and the preferences of the system, as far as components depend on them. Only this file
// listens to media queries.
import { signal, type ReadonlySignal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

export type Layout = 'phone' | 'tablet' | 'desk'

export interface Viewport {
  /** The layout, which depends on the page's width. */
  layout: Layout
  /** Whether the system asks for reduced motion. */
  calm: boolean
  /** Whether the system asks for a light page. */
  light: boolean
}

const DEFAULT: Viewport = { layout: 'desk', calm: false, light: false }

export const ViewportContext = createContext<ReadonlySignal<Viewport> | null>(null)

export function useViewport(): Viewport {
  return useContext(ViewportContext)?.value ?? DEFAULT
}

export function useLayout(): Layout {
  return useViewport().layout
}

export function watchViewport(): ReadonlySignal<Viewport> {
  // styles/game.css has the same widths.
  const [desk, tablet] = [matchMedia('(min-width: 1100px)'), matchMedia('(min-width: 700px)')]
  const calm = matchMedia('(prefers-reduced-motion: reduce)')
  const light = matchMedia('(prefers-color-scheme: light)')
  const read = (): Viewport => ({
    layout: desk.matches ? 'desk' : tablet.matches ? 'tablet' : 'phone',
    calm: calm.matches,
    light: light.matches,
  })
  const viewport = signal(read())
  for (const query of [desk, tablet, calm, light]) query.addEventListener('change', () => (viewport.value = read()))
  return viewport
}
