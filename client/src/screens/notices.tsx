// The banners and notices in the head of the game screen, the most urgent first. A phone shows one of them at a time,
// so that the map keeps its height, and a button that shows the others.
import { useState } from 'preact/hooks'
import { AlertOffer } from '../alerts/alert-offer'
import { Collisions } from '../panels/collisions'
import { ConnectionBanner } from '../panels/connection-banner'
import { Doors } from '../panels/doors'
import { HooksOffer } from '../panels/hooks-offer'
import type { GoTo } from '../panels/place'
import { RestoredLine } from '../panels/restored-line'
import { SalvageNotice } from '../panels/salvage-notice'
import { SaveBanner } from '../panels/save-banner'
import { parent } from '../map/path'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { useLayout } from './viewport'

export function Notices({ realm, onRoom }: { realm: RealmModel; onRoom: GoTo }) {
  const [all, setAll] = useState(false)
  const phone = useLayout() === 'phone'
  return (
    <div class={phone && !all ? 'notices notices-folded' : 'notices'} data-testid="notices">
      <ConnectionBanner />
      <Doors realm={realm} />
      <SaveBanner />
      <RestoredLine realm={realm} />
      <Collisions realm={realm} onShow={(path) => onRoom(parent(path), path)} />
      <SalvageNotice realm={realm} />
      <HooksOffer realm={realm} />
      <AlertOffer realm={realm} />
      {phone && (
        <button
          type="button"
          class="icon-button notices-more"
          aria-expanded={all}
          aria-label={all ? words.notices.fewer : words.notices.more}
          title={all ? words.notices.fewer : words.notices.more}
          data-testid="notices-more"
          onClick={() => setAll(!all)}
        >
          {all ? '▴' : '▾'}
        </button>
      )}
    </div>
  )
}
