// Keeps command line flags, such as -token, and a double hyphen from breaking after a hyphen.
import type { ComponentChildren } from 'preact'

/**
 * A flag or hyphens alone, at the beginning of a word. They are in a capturing group, so that String.split keeps them.
 */
const FLAG = /(?<=^|[\s("'“`=])(--?[a-zA-Z][\w-]{0,30}|--+)/

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
