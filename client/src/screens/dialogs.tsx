// The dialogs over the game screen.
import { kinds } from '../kinds/kinds'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { EraseDialog } from '../panels/erase-dialog'
import { SettingsDialog } from '../panels/settings'
import { StartProcess } from '../panels/start-process'
import { StartConversation } from '../panels/conversation/start'
import type { RealmModel } from '../state/model'
import { words } from '../words'

export type DialogName = 'settings' | 'start'

interface Props {
  realm: RealmModel
  /** The dialog that the game screen opened; null for none. */
  open: DialogName | null
  onClose: () => void
}

export function Dialogs({ realm, open, onClose }: Props) {
  const app = useApp()
  const erasing = app.conversations.erasing.value
  const starting = app.conversations.starting.value
  return (
    <>
      {erasing && <EraseDialog key={erasing.id} realm={realm} erasing={erasing} />}
      {kinds().map((k) => k.Overlay && <k.Overlay key={k.name} realm={realm} />)}
      {starting && <StartConversation realm={realm} ask={starting} />}
      {open === 'settings' && <SettingsDialog realm={realm} onClose={onClose} />}
      {open === 'start' && (
        <Dialog title={words.stage.start} onClose={onClose} testid="start-dialog">
          <StartProcess places={[{ value: 'here', label: '', folder: !!realm.world.realm.path }]} />
        </Dialog>
      )}
    </>
  )
}
