// The dialogs over the game screen.
import { kinds } from '../kinds/kinds'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { EraseDialog } from '../panels/erase-dialog'
import { PreferencesDialog } from '../panels/preferences'
import { SettingsDialog } from '../panels/settings'
import { StartProcess } from '../panels/start-process'
import { StartConversation } from '../panels/conversation/start'
import type { RealmModel } from '../state/model'
import { words } from '../words'
import { Late } from './late'
import { Menu } from './menu'

const share = () => import('../panels/share/share').then((m) => m.ShareDialog)

export type DialogName = 'menu' | 'preferences' | 'settings' | 'share' | 'start'

interface Props {
  realm: RealmModel
  /** The dialog that the game screen opened; null for none. */
  open: DialogName | null
  onDialog: (name: DialogName | null) => void
}

export function Dialogs({ realm, open, onDialog }: Props) {
  const app = useApp()
  const onClose = () => onDialog(null)
  const erasing = app.conversations.erasing.value
  const starting = app.conversations.starting.value
  return (
    <>
      {erasing && <EraseDialog key={erasing.id} realm={realm} erasing={erasing} />}
      {kinds().map((k) => k.Overlay && <k.Overlay key={k.name} realm={realm} />)}
      {starting && <StartConversation realm={realm} ask={starting} />}
      {open === 'menu' && <Menu onDialog={onDialog} onClose={onClose} />}
      {open === 'preferences' && <PreferencesDialog onClose={onClose} />}
      {open === 'share' && <Late load={share} fail={onClose} props={{ realm, onClose }} />}
      {open === 'settings' && <SettingsDialog realm={realm} onClose={onClose} />}
      {open === 'start' && (
        <Dialog title={words.stage.start} onClose={onClose} testid="start-dialog">
          <StartProcess places={[{ value: 'here', label: '', folder: !!realm.world.realm.path }]} />
        </Dialog>
      )}
    </>
  )
}
