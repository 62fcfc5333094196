// A text whose paths break after a slash where the line ends, and not in the middle of a name.
import { Fragment } from 'preact'

export function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(/(?<=\/)/).map((part, i) => (
        <Fragment key={i}>
          {i > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  )
}
