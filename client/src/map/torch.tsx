// The drawing of a torch beside a title.

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
