// The icon of buttons that rename.

export function PenMark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M3 13l1-4 7-7 3 3-7 7zM9.5 3.5l3 3" fill="none" stroke="currentColor" stroke-width="1.500" />
    </svg>
  )
}
