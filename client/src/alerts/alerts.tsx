// Tells the person what happened: by a notification while the page is in the background, and by a tone.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import type { RealmModel } from '../state/model'
import { alertWords } from '../words-alerts'
import { isOn, permission } from './choice'
import { happened, look, type Alert } from './happened'
import { play } from './tones'

/** How long the server must be silent before the page alerts the person, in milliseconds. */
const LOST_MS = 5_000

export function Alerts({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const lost = useLost(!app.live.value)
  const now = useSelect(() => look(app.model, lost), [app, lost])
  const before = useRef(now)
  useEffect(() => {
    const news = happened(before.current, now)
    before.current = now
    const first = news[0]
    if (first === undefined) return
    if (isOn(app.storage, 'sound')) play(first)
    if (isOn(app.storage, 'notify')) for (const alert of news) notify(alert, realm.world.realm.name)
  }, [app, now, realm])
  return null
}

/** Whether the page has been offline for LOST_MS. */
function useLost(offline: boolean): boolean {
  const [lost, set] = useState(false)
  useEffect(() => {
    if (!offline) return set(false)
    const timer = setTimeout(() => set(true), LOST_MS)
    return () => clearTimeout(timer)
  }, [offline])
  return lost
}

/**
 * Shows a browser notification. It replaces the previous notification of the same alert, because both have the same
 * tag.
 */
function notify(alert: Alert, realm: string): void {
  if (!document.hidden || permission() !== 'granted') return
  try {
    const shown = new Notification(alertWords[alert](realm), { tag: `agentdungeon ${alert}` })
    shown.onclick = () => {
      window.focus()
      shown.close()
    }
  } catch {
    // Some phone browsers have the Notification interface but throw here: they allow notifications only from
    // service workers.
  }
}
