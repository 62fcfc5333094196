// The icon of buttons that erase.

export function BinMark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M2.5 4h11M6 4V2.5h4V4M4 4l.8 9.5h6.4L12 4M6.7 6.5v5M9.3 6.5v5"
        fill="none"
        stroke="currentColor"
        stroke-width="1.500"
      />
    </svg>
  )
}
