// A text without further structure. Where FileNames is set, as in a transcript, file names in the text are links that
// open the files.
import { Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import { FileLink } from '../file-link'
import { wholeFlags } from '../flags'
import { FileNames, splitFileNames } from './file-names'

export function Leaf({ text }: { text: string }) {
  const folders = useContext(FileNames)
  if (folders === null) return <>{wholeFlags(text)}</>
  return (
    <>
      {splitFileNames(text, folders()).map((part, i) =>
        part.path === '' ? (
          <Fragment key={i}>{wholeFlags(part.text)}</Fragment>
        ) : (
          <FileLink key={i} path={part.path} line={part.line} text={part.text} />
        ),
      )}
    </>
  )
}
