// The evidence of a finding, as it is written. The places that its last line names are links to the files.
import { Fragment } from 'preact'
import { FileLink } from './file-link'

/** What begins the line that lists the further places of a cause: "Also at a.go:3, b.go:7 and 2 more". */
const ALSO_AT = '\nAlso at '

/** One place in that line: a path and a line. */
const PLACE = /^(.+):(\d{1,7})$/

export function Evidence({ text }: { text: string }) {
  const at = text.lastIndexOf(ALSO_AT)
  const places = at < 0 ? '' : text.slice(at + ALSO_AT.length)
  return (
    <pre class="evidence" tabIndex={0} data-testid="finding-evidence">
      {at < 0 ? text : text.slice(0, at + ALSO_AT.length)}
      {places.split(/(, | and (?=\d+ more$))/).map((part, i) => {
        const [, path, line] = PLACE.exec(part) ?? []
        if (path === undefined) return <Fragment key={i}>{part}</Fragment>
        return <FileLink key={i} path={path} line={Number(line)} text={part} />
      })}
    </pre>
  )
}
