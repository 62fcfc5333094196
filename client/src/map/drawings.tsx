// What stands in a room, drawn here on a grid of 16: documents are parchment,
// tests iron-bound chests, configuration crystal, code masonry, links a chain.
import type { ComponentChildren } from 'preact'

function Drawing({ children, class: name = 'drawing' }: { children: ComponentChildren; class?: string }) {
  return (
    <svg class={name} viewBox="0 0 16 16" shape-rendering="crispEdges" aria-hidden="true">
      {children}
    </svg>
  )
}

const KINDS: Record<string, ComponentChildren> = {
  file: (
    <>
      <path fill="#3b3f5c" d="M1 3h14v11H1z" />
      <path fill="#565a7a" d="M2 4h5v2H2zm6 0h6v2H8zM2 7h3v2H2zm4 0h5v2H6zm6 0h2v2h-2zM2 10h6v3H2zm7 0h5v3H9z" />
      <path fill="#7d82a0" d="M2 4h5v1H2zm6 0h6v1H8zM2 7h3v1H2zm4 0h5v1H6zm6 0h2v1h-2zM2 10h6v1H2zm7 0h5v1H9z" />
    </>
  ),
  doc: (
    <>
      <path fill="#9a7250" d="M3 1h10v2H3zm0 12h10v2H3z" />
      <path fill="#d7d3c8" d="M4 3h8v10H4z" />
      <path fill="#f3ecd9" d="M4 3h7v9H4z" />
      <path fill="#9a7250" d="M5 5h5v1H5zm0 2h6v1H5zm0 2h4v1H5z" />
    </>
  ),
  config: (
    <>
      <path fill="#27548a" d="M8 1l4 4v6l-4 4-4-4V5z" />
      <path fill="#4aa3df" d="M8 2l3 3v5l-3 4z" />
      <path fill="#9be3f0" d="M7 3l1-1v11l-3-3V5z" />
    </>
  ),
  test: (
    <>
      <path fill="#6b4a36" d="M2 4h12v10H2z" />
      <path fill="#9a7250" d="M3 5h10v3H3zm0 4h10v4H3z" />
      <path fill="#3b3f5c" d="M2 4h1v10H2zm11 0h1v10h-1zM5 4h1v10H5zm5 0h1v10h-1zM2 8h12v1H2z" />
      <path fill="#ffd27a" d="M7 8h2v3H7z" />
    </>
  ),
  link: (
    <>
      <path fill="#565a7a" d="M1 5h7v6H1z" />
      <path fill="#151827" d="M3 7h3v2H3z" />
      <path fill="#7d82a0" d="M8 5h7v6H8zm-2 2h4v2H6z" />
      <path fill="#151827" d="M10 7h3v2h-3z" />
      <path fill="#a9adc4" d="M6 7h4v1H6z" />
    </>
  ),
}

export function ThingDrawing({ kind }: { kind: string }) {
  return <Drawing>{KINDS[kind] ?? KINDS['file']}</Drawing>
}

export function DoorDrawing({ back = false }: { back?: boolean }) {
  return (
    <Drawing class="drawing drawing-door">
      <path fill="#3b3f5c" d="M2 15V5h1V3h2V2h6v1h2v2h1v10z" />
      <path fill="#565a7a" d="M2 7h2v2H2zm0 4h2v2H2zm10-4h2v2h-2zm0 4h2v2h-2zM6 2h4v2H6z" />
      {back ? (
        <>
          <path fill="#0d0f1a" d="M4 15V6h1V5h1V4h4v1h1v1h1v9z" />
          <path fill="#7d82a0" d="M5 13h6v2H5zm1-3h5v2H6zm2-3h3v2H8z" />
        </>
      ) : (
        <>
          <path fill="#6b4a36" d="M4 15V6h1V5h1V4h4v1h1v1h1v9z" />
          <path fill="#9a7250" d="M5 6h2v9H5zm4 0h2v9H9z" />
          <path fill="#ffd27a" d="M10 10h1v1h-1z" />
        </>
      )}
    </Drawing>
  )
}

export function Campfire() {
  return (
    <svg class="campfire" viewBox="0 0 48 32" shape-rendering="crispEdges" aria-hidden="true">
      <path fill="#1f2438" d="M4 26h40v3H4z" />
      <path fill="#3b3f5c" d="M8 25h5v3H8zm27 0h5v3h-5zM14 27h5v3h-5zm15 0h5v3h-5z" />
      <path fill="#6b4a36" d="M14 22h20v3H14zm3-2h14v2H17z" />
      <path fill="#9a7250" d="M14 22h20v1H14z" />
      <path fill="#c96a2b" d="M18 12h12v9H18zm2-3h3v3h-3zm6 1h3v2h-3z" />
      <path fill="#f2a044" d="M20 13h8v8h-8zm2-6h3v6h-3z" />
      <path fill="#ffd27a" d="M22 15h4v6h-4zm1-3h2v3h-2z" />
    </svg>
  )
}

/** A torch for the splash. */
export function Torch() {
  return (
    <svg class="torch" viewBox="0 0 16 24" shape-rendering="crispEdges" aria-hidden="true">
      <path fill="#6b4a36" d="M7 13h2v10H7z" />
      <path fill="#9a7250" d="M7 13h1v10H7z" />
      <path fill="#565a7a" d="M6 12h4v2H6z" />
      <path fill="#c96a2b" d="M5 5h1v6H5zm5 0h1v6h-1zM6 3h1v2H6zm3-1h1v3H9zM6 10h4v2H6z" />
      <path fill="#f2a044" d="M6 5h4v6H6zM7 2h2v3H7z" />
      <path fill="#ffd27a" d="M7 6h2v4H7zm0-2h1v2H7z" />
    </svg>
  )
}

export function Flag({ severity }: { severity: string }) {
  return (
    <svg class={`flag severity-${severity}`} viewBox="0 0 8 8" shape-rendering="crispEdges" aria-hidden="true">
      <path fill="#9a7250" d="M1 0h1v8H1z" />
      <path fill="currentColor" d="M2 0h5v1h-1v2h1v1H2z" />
    </svg>
  )
}
