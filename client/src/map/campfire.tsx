// The drawing of the campfire.

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
