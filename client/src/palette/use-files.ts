// The files and folders that the server finds for the text in the palette. The page itself knows only some files of the
// linked folder.
import { useEffect, useState } from 'preact/hooks'
import type { Answer } from '../net/ask'
import { findFiles } from '../net/files'
import type { FilesFound } from '../net/protocol.gen'

/** How long the person must pause typing before the page asks the server, in milliseconds. */
const PAUSE_MS = 120

export interface FilesKnown {
  /** The last answer. It stays until the next answer, so that the list does not flicker. */
  found: FilesFound
  /** Whether the answer for the current text has not arrived yet. */
  busy: boolean
  /** Why the last search failed; null if it succeeded. */
  failed: string | null
}

const NONE: FilesFound = { files: [] }

/** typed: the text; "" requests nothing. */
export function useFiles(realmId: string, typed: string): FilesKnown {
  const [last, setLast] = useState<{ typed: string; found: FilesFound; failed: string | null }>({
    typed: '',
    found: NONE,
    failed: null,
  })
  useEffect(() => {
    if (typed === '') return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      void findFiles(realmId, typed, stop.signal).then((answer: Answer<FilesFound>) => {
        if (answer === null || stop.signal.aborted) return
        setLast(
          'got' in answer ? { typed, found: answer.got, failed: null } : { typed, found: NONE, failed: answer.failed },
        )
      })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [realmId, typed])
  if (typed === '') return { found: NONE, busy: false, failed: null }
  return { found: last.found, busy: last.typed !== typed, failed: last.typed === typed ? last.failed : null }
}
