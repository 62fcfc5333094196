// The icon of copy buttons: two sheets; a tick if done is true, an exclamation mark if it is false.

export function CopyMark({ done }: { done: boolean | null }) {
  const d = done === true ? 'M2 8l4 4 8-9' : done === false ? 'M8 2v8m0 3v1' : 'M5 2h8v9M3 5h7v9H3z'
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} fill="none" stroke="currentColor" stroke-width="1.500" />
    </svg>
  )
}
