// The icons of buttons. Screen readers skip the icon, because the button has a text.

interface Shape {
  /** The SVG path that is drawn as a line. */
  line?: string
  /** The SVG path that is filled, by the even-odd rule. */
  fill?: string
}

const SHAPES = {
  bin: { line: 'M2.5 4h11M6 4V2.5h4V4M4 4l.8 9.5h6.4L12 4M6.7 6.5v5M9.3 6.5v5' },
  pen: { line: 'M3 13l1-4 7-7 3 3-7 7zM9.5 3.5l3 3' },
  /** A pin: a place on the map. */
  pin: {
    line: 'M8 1.5A4.5 4.5 0 0 0 3.5 6c0 3.3 4.5 8.5 4.5 8.5s4.5-5.2 4.5-8.5A4.5 4.5 0 0 0 8 1.5z',
    fill: 'M6.4 6a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0z',
  },
  eye: {
    fill:
      'M8 3C4 3 1.5 6 .5 8c1 2 3.5 5 7.5 5s6.5-3 7.5-5c-1-2-3.5-5-7.5-5z' +
      'm0 8.2a3.2 3.2 0 1 1 0-6.4 3.2 3.2 0 0 1 0 6.4z' +
      'M6.4 8a1.6 1.6 0 1 0 3.2 0 1.6 1.6 0 1 0-3.2 0z',
  },
  /** Two sheets: a text is copied. */
  sheets: { line: 'M5 2h8v9M3 5h7v9H3z' },
  /** Two links of a chain: an address is copied. */
  chain: { line: 'M7 5l2-2a2.8 2.8 0 0 1 4 4l-2 2M9 11l-2 2a2.8 2.8 0 0 1-4-4l2-2M6 10l4-4' },
  tick: { line: 'M2 8l4 4 8-9' },
  /** An exclamation mark: the copy has failed. */
  failed: { line: 'M8 2v8m0 3v1' },
} as const satisfies Readonly<Record<string, Shape>>

export type IconName = keyof typeof SHAPES

export function Icon({ name }: { name: IconName }) {
  const { line, fill }: Shape = SHAPES[name]
  return (
    <svg class="mark" viewBox="0 0 16 16" aria-hidden="true" data-icon={name}>
      {line && <path d={line} fill="none" stroke="currentColor" stroke-width="1.5" />}
      {fill && <path d={fill} fill="currentColor" fill-rule="evenodd" />}
    </svg>
  )
}
