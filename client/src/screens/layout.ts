// How wide the page is, in the three forms of the look: phone, tablet, desk.
import { signal, type ReadonlySignal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

export type Layout = 'phone' | 'tablet' | 'desk'

export const LayoutContext = createContext<ReadonlySignal<Layout> | null>(null)

export function useLayout(): Layout {
  return useContext(LayoutContext)?.value ?? 'desk'
}

/** The same widths stand in styles/game.css. */
const DESK = '(min-width: 1100px)'
const TABLET = '(min-width: 700px)'

export function watchLayout(): ReadonlySignal<Layout> {
  const read = (): Layout => (matchMedia(DESK).matches ? 'desk' : matchMedia(TABLET).matches ? 'tablet' : 'phone')
  const layout = signal(read())
  for (const query of [DESK, TABLET]) matchMedia(query).addEventListener('change', () => (layout.value = read()))
  return layout
}
