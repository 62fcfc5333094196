// A part of an opened finding, such as the advice, under its heading; nothing if the finding does not have the
// part.
import type { ComponentChildren } from 'preact'

interface Props {
  title: string
  /** Whether the finding has this part. */
  when: boolean
  children: ComponentChildren
}

export function FindingPart({ title, when, children }: Props) {
  if (!when) return null
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  )
}
