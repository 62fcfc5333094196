// The icon of buttons that show a place on the map: a pin.

export function MapMark() {
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M8 1.500a4.500 4.500 0 0 0-4.500 4.500c0 3.300 4.500 8.500 4.500 8.500s4.500-5.200 4.500-8.500A4.500 4.500 0 0 0 8 1.500z"
        fill="none"
        stroke="currentColor"
        stroke-width="1.500"
      />
      <circle cx="8" cy="6" r="1.600" fill="currentColor" />
    </svg>
  )
}
