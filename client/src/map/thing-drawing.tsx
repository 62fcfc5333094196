// The drawing of a thing in a room, by its kind.
import type { ComponentChildren } from 'preact'
import { Drawing } from './drawing'

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
