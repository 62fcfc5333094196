// The icon of copy buttons: two sheets for a text, two links of a chain for an address; a tick if done is true, an
// exclamation mark if it is false.

/** What is copied. */
export type CopyWhat = 'text' | 'link'

const SHAPES: Readonly<Record<CopyWhat, string>> = {
  text: 'M5 2h8v9M3 5h7v9H3z',
  link: 'M7 5l2-2a2.8 2.8 0 0 1 4 4l-2 2M9 11l-2 2a2.8 2.8 0 0 1-4-4l2-2M6 10l4-4',
}

export function CopyMark({ done, what = 'text' }: { done: boolean | null; what?: CopyWhat }) {
  const d = done === true ? 'M2 8l4 4 8-9' : done === false ? 'M8 2v8m0 3v1' : SHAPES[what]
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} fill="none" stroke="currentColor" stroke-width="1.500" />
    </svg>
  )
}
