// The drawing of a collision: two crossed pens.

/** text: the text for screen readers and for the tooltip. */
export function CollisionMark({ text }: { text: string }) {
  return (
    <span class="collision-mark" role="img" aria-label={text} title={text}>
      <svg viewBox="0 0 9 9" shape-rendering="crispEdges" aria-hidden="true">
        <path
          fill="var(--bad)"
          d="M0 0h2v1h1v1h1v1h1v1h1v1h1v1h1v1h1v1h-2v-1h-1v-1h-1v-1h-1v-1h-1v-1h-1v-1h-1v-1h-1z"
        />
        <path
          fill="var(--wait)"
          d="M7 0h2v1h-1v1h-1v1h-1v1h-1v1h-1v1h-1v1h-1v1h-2v-1h1v-1h1v-1h1v-1h1v-1h1v-1h1v-1h1v-1z"
        />
      </svg>
    </span>
  )
}
