// The icon of buttons that show a place on the map: a pin.

export function MapMark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M8 1.5a4.5 4.5 0 0 0-4.5 4.5c0 3.300 4.5 8.5 4.5 8.5s4.5-5.200 4.5-8.5A4.5 4.5 0 0 0 8 1.5z"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
      />
      <circle cx="8" cy="6" r="1.6" fill="currentColor" />
    </svg>
  )
}
