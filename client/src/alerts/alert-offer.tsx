// The offer to show notifications, for the person who runs the server. The page shows it once an agent has asked.
import { useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { isGuest } from '../state/select'
import { alertWords as w } from '../words-alerts'
import { permission, switchNotify } from './choice'

/** The key in the browser's storage that remembers that a person has closed the offer. */
const KEY = 'alert-offer'

export function AlertOffer({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const [hidden, hide] = useState(() => app.storage.get(KEY) !== null)
  // While a question waits, it has the place.
  const asked = useSelect(() => {
    const doors = realm.world.doors ?? []
    return doors.length > 0 && !doors.some(isOpen)
  }, [realm])
  const owner = app.host.value && app.model.me !== null && !isGuest(app.model)
  if (hidden || !asked || !owner || permission() !== 'default') return null
  const close = () => {
    app.storage.set(KEY, 'no')
    hide(true)
  }
  return (
    <section class="offer-bar" aria-label={w.notify} data-testid="alert-offer">
      <p>{w.offer}</p>
      <button
        type="button"
        class="small"
        data-testid="alert-offer-yes"
        onClick={() => void switchNotify(app.storage, true).then(close)}
      >
        {w.offerYes}
      </button>
      <button type="button" class="ghost small" aria-label={w.offerNo} title={w.offerNo} onClick={close}>
        ×
      </button>
    </section>
  )
}
