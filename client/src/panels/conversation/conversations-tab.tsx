// The tab with the list of conversations and the transcript of the chosen one; two screens on a phone.
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RealmModel } from '../../state/model'
import { useApp } from '../context'
import { HALL } from '../../conversations'
import { Conversation } from './conversation'
import { Hall } from './hall'
import { ConversationList } from './list'
import { Starting } from './starting'

export function ConversationsTab({ realm, phone }: { realm: RealmModel; phone: boolean }) {
  const app = useApp()
  const chosen = app.conversations.chosen.value
  const listed = app.conversations.listed.value
  const setListed = (on: boolean) => (app.conversations.listed.value = on)
  const box = useRef<HTMLDivElement>(null)
  const beside = useWide(box)
  // When a conversation is chosen elsewhere on the page, the tab shows that conversation and not the list.
  const shown = app.conversations.shownCount.value
  useEffect(() => {
    app.conversations.listed.value = false
  }, [app, shown])
  return (
    <div ref={box} class="conversations" data-testid="talk" data-screen={phone && listed ? 'list' : 'transcript'}>
      {app.conversations.starting.value === null && <Starting />}
      {(!phone || listed) && (
        <ConversationList realm={realm} compact={!phone} beside={beside} onPick={() => setListed(false)} />
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

/**
 * The width in pixels from which on the list is beside the transcript. styles/conversation-list.css has the same width.
 */
const BESIDE = 640

/** Whether list and transcript fit beside each other. */
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
