// The layout by the page's width: phone, tablet or desk.
import { signal, type ReadonlySignal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

export type Layout = 'phone' | 'tablet' | 'desk'

export const LayoutContext = createContext<ReadonlySignal<Layout> | null>(null)

export function useLayout(): Layout {
  return useContext(LayoutContext)?.value ?? 'desk'
}

/** styles/game.css has the same widths. */
const DESK = '(min-width: 1100px)'
const TABLET = '(min-width: 700px)'

export function watchLayout(): ReadonlySignal<Layout> {
  const read = (): Layout => (matchMedia(DESK).matches ? 'desk' : matchMedia(TABLET).matches ? 'tablet' : 'phone')
  const layout = signal(read())
  for (const query of [DESK, TABLET]) matchMedia(query).addEventListener('change', () => (layout.value = read()))
  return layout
}
