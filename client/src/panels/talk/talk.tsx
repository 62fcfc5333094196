// The Talk tab: the list of conversations and the transcript of the chosen one.
// Where there is room both are in sight; on a phone they are two screens.
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { useApp } from '../context'
import { HALL } from '../../talks'
import { Conversation } from './conversation'
import { Hall } from './hall'
import { TalkList } from './list'
import { Starting } from './starting'

export function Talk({ realm, phone }: { realm: RealmModel; phone: boolean }) {
  const app = useApp()
  const chosen = app.talks.chosen.value
  const [listed, setListed] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const beside = useWide(box)
  // Somebody asked for a conversation: it comes forth.
  const shown = app.talks.shown.value
  useEffect(() => setListed(false), [shown])
  return (
    <div ref={box} class="talk" data-testid="talk" data-screen={phone && listed ? 'list' : 'transcript'}>
      {app.talks.starting.value === null && <Starting />}
      {(!phone || listed) && (
        <TalkList realm={realm} compact={!phone} beside={beside} onPick={() => setListed(false)} />
      )}
      {(!phone || !listed) &&
        (chosen !== HALL ? (
          <Conversation realm={realm} id={chosen} onBack={phone ? () => setListed(true) : null} />
        ) : (
          <Hall realm={realm} onBack={phone ? () => setListed(true) : null} />
        ))}
    </div>
  )
}

/** From here on the list stands beside the transcript, in pixels; the same width stands in styles/chats.css. */
const BESIDE = 640

/** Whether there is room for both beside each other. */
function useWide(box: RefObject<HTMLElement | null>): boolean {
  const [wide, setWide] = useState(false)
  useEffect(() => {
    const el = box.current
    if (!el || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(() => setWide(el.clientWidth >= BESIDE))
    observer.observe(el)
    return () => observer.disconnect()
  }, [box])
  return wide
}
