// A line whose parts in backticks are code, as the transcript shows them.
import { Fragment, type ComponentChildren } from 'preact'

export function coded(label: string) {
  return label.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{atSlashes(part)}</code> : part))
}

/** A path goes on in the next line after a slash, before a name is broken. */
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
