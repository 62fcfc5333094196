// The open file, if there is one, and the navigation to a place whose address was opened. The page loads the viewer
// for files when the first file is opened.
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Navigation } from '../map/navigation'
import { useApp } from '../panels/context'
import type { OpenFile } from '../places'
import type { RealmModel } from '../state/model'
import { viewerWords } from '../words-viewer'
import { useLayout } from './viewport'
import type { Tab } from './side'
import { useArrivals } from './use-arrivals'

interface Props {
  realm: RealmModel
  navigation: Navigation
  onRoom: (path: string) => void
  onTab: (tab: Tab) => void
  /** Shows the result of a process; false if the page does not have it. */
  onResult: (id: string) => boolean
}

type Viewer = FunctionComponent<Pick<Props, 'realm' | 'onRoom'> & { open: OpenFile; whole: boolean }>

export function FileLayer({ realm, navigation, onRoom, onTab, onResult }: Props) {
  const app = useApp()
  useArrivals(realm, { room: onRoom, navigation, tab: onTab, result: onResult })
  const open = app.places.file.value
  const whole = useLayout() === 'phone'
  const [loaded, setLoaded] = useState<{ view: Viewer } | 'failed' | null>(null)
  const wanted = open !== null
  useEffect(() => {
    if (!wanted || loaded !== null) return
    let gone = false
    import('../files/file-viewer').then(
      (m) => !gone && setLoaded({ view: m.FileViewer }),
      () => !gone && setLoaded('failed'),
    )
    return () => {
      gone = true
    }
  }, [wanted, loaded])
  if (open === null) return null
  if (loaded === null || loaded === 'failed') {
    return (
      <div class="file-layer file-says" role="status" data-testid="file" data-state="loading">
        <p>{loaded === null ? viewerWords.loading : viewerWords.noCode}</p>
        {loaded === 'failed' && (
          <p class="buttons">
            <button type="button" onClick={() => setLoaded(null)}>
              {viewerWords.again}
            </button>
            <button type="button" onClick={() => app.places.close()}>
              {viewerWords.close}
            </button>
          </p>
        )}
      </div>
    )
  }
  return <loaded.view realm={realm} open={open} whole={whole} onRoom={onRoom} />
}
