// The dialog with links by which others can open the place that is shown, and what the holder of each link may do.
import { useEffect, useState } from 'preact/hooks'
import '../../styles/share.css'
import type { Answer } from '../../net/ask'
import type { Share } from '../../net/protocol.gen'
import { readShare } from '../../net/share'
import type { RealmModel } from '../../state/model'
import { shareWords as w } from '../../words-share'
import { Dialog } from '../dialog'
import { ShareLink } from './share-link'

export interface ShareProps {
  realm: RealmModel
  onClose: () => void
}

export function ShareDialog({ realm, onClose }: ShareProps) {
  const [answer, set] = useState<Answer<Share>>(null)
  const [tries, setTries] = useState(0)
  useEffect(() => {
    const stop = new AbortController()
    void readShare(stop.signal).then((got) => got !== null && set(got))
    return () => stop.abort()
  }, [tries])
  const again = () => {
    set(null)
    setTries(tries + 1)
  }
  return (
    <Dialog title={w.title} onClose={onClose} testid="share">
      {answer === null && <p role="status">{w.loading}</p>}
      {answer && 'failed' in answer && (
        <div class="problem" role="alert">
          <p>
            {w.failed} {answer.failed}
          </p>
          <button type="button" onClick={again}>
            {w.again}
          </button>
        </div>
      )}
      {answer && 'got' in answer && <ShareLink realm={realm} share={answer.got} />}
    </Dialog>
  )
}
