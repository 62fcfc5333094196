// The map of the offered folder, for the start screen.
import { useEffect, useState } from 'preact/hooks'
import { readOffer } from '../net/offer'
import { realmOfPreview } from '../state/attach'
import type { RealmModel } from '../state/model'

/**
 * path: the offered folder; "" for none. Returns null until the map is loaded. An error is ignored, because the map
 * is only decoration here.
 */
export function useOffered(path: string): RealmModel | null {
  const [got, setGot] = useState<{ path: string; realm: RealmModel } | null>(null)
  useEffect(() => {
    if (path === '') return
    const stop = new AbortController()
    void readOffer(stop.signal).then((answer) => {
      if (answer !== null && 'got' in answer) setGot({ path, realm: realmOfPreview(answer.got) })
    })
    return () => stop.abort()
  }, [path])
  return got !== null && got.path === path ? got.realm : null
}
