// Shows a line in which the parts in backticks are code, as in the transcript.
import { Fragment, type ComponentChildren } from 'preact'

export function coded(label: string) {
  return label.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{atSlashes(part)}</code> : part))
}

/** Allows line breaks after the slashes of a path, so that a line breaks there rather than inside a name. */
function atSlashes(path: string): ComponentChildren {
  return path.split('/').map((name, i) => (
    <Fragment key={i}>
      {i > 0 && (
        <>
          /<wbr />
        </>
      )}
      {name}
    </Fragment>
  ))
}
