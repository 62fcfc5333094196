// The SVG frame of the small drawings in the map's list.
import type { ComponentChildren } from 'preact'

export function Drawing({ children, class: name = 'drawing' }: { children: ComponentChildren; class?: string }) {
  return (
    <svg class={name} viewBox="0 0 16 16" shape-rendering="crispEdges" aria-hidden="true">
      {children}
    </svg>
  )
}
