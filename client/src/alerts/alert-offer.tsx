// The offer to show notifications, for the person who runs the server. The page shows it once an agent has asked.
import { useApp } from '../panels/context'
import { useOffer } from '../panels/use-offer'
import { useSelect } from '../panels/use-select'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { alertWords as w } from '../words-alerts'
import { permission, switchNotify } from './choice'

export function AlertOffer({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const { open, close } = useOffer('alert-offer')
  // While a question waits, it has the place.
  const asked = useSelect(() => {
    const doors = realm.world.doors ?? []
    return doors.length > 0 && !doors.some(isOpen)
  }, [realm])
  if (!open || !asked || permission() !== 'default') return null
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
