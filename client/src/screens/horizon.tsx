// A drawn country at night behind the start screen. It is shown until the map of the realm is drawn, and if no
// realm is open.

/** The houses: distance from the left edge, width and height. */
const HOUSES = [
  [20, 26, 22],
  [58, 18, 32],
  [92, 34, 18],
  [150, 22, 40],
  [186, 30, 24],
  [262, 20, 30],
  [296, 36, 20],
  [348, 24, 36],
] as const

export function Horizon() {
  return (
    <svg class="horizon" viewBox="0 0 400 160" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <path class="horizon-far" d="M0 96 60 70l54 22 70-40 66 36 58-24 92 34v62H0z" />
      <path class="horizon-near" d="M0 118q100-22 200-6t200-4v52H0z" />
      {HOUSES.map(([x, w, h]) => (
        <g key={x}>
          <path class="horizon-house" d={`M${x} ${132 - h}l${w / 2}-12 ${w / 2} 12v${h}h-${w}z`} />
          <path class="horizon-light" d={`M${x + w / 2 - 3} ${128 - h / 2}h5v7h-5z`} />
        </g>
      ))}
      <path class="horizon-house" d="M214 58h8v8h6v-8h8v8h6v-8h8v74h-36z" />
      <path class="horizon-light" d="M226 84h4v8h-4zm10 0h4v8h-4zm-5 24h6v10h-6z" />
    </svg>
  )
}
