// The hits for the searched words.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Answer } from '../../net/ask'
import { search, type SearchHit } from '../../net/search'
import type { RealmModel } from '../../state/model'

/** The pause in typing after which the search starts, in milliseconds. */
const PAUSE_MS = 250

/** The hits of the search; null before there is an answer. */
export type Found = Answer<readonly SearchHit[]>

interface Search {
  found: Found
  busy: boolean
  again: () => void
}

/** asked: the words to search for; "" stops the search. */
export function useFound(realm: RealmModel, asked: string): Search {
  const [found, setFound] = useState<Found>(null)
  const [busy, setBusy] = useState(false)
  const [tries, setTries] = useState(0)
  const { id } = realm
  useEffect(() => {
    setFound(null)
    setBusy(asked !== '')
    if (asked === '') return
    const stop = new AbortController()
    const timer = setTimeout(() => {
      void search(id, asked, '', stop.signal).then((answer) => {
        if (stop.signal.aborted) return
        setFound(answer ?? { failed: '' })
        setBusy(false)
      })
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [asked, id, tries])
  // After an erasure the search runs again, so that no hit is from erased text.
  const gone = realm.world.erased.at(-1) ?? ''
  const known = useRef(gone)
  useEffect(() => {
    if (known.current !== gone) setTries((n) => n + 1)
    known.current = gone
  }, [gone])
  return { found, busy, again: () => setTries(tries + 1) }
}
