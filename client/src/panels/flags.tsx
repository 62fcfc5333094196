// Keeps command line flags, such as -token, from breaking after their hyphen.
import type { ComponentChildren } from 'preact'

/** A flag at the beginning of a word. The group makes split keep it. */
const FLAG = /(?<=^|[\s("'“`=])(--?[a-zA-Z][\w-]{0,30})/

export function wholeFlags(text: string): ComponentChildren {
  const parts = text.split(FLAG)
  if (parts.length === 1) return text
  return parts.map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <span key={i} class="unbroken">
        {part}
      </span>
    ),
  )
}
