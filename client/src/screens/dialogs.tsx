// What lies over the game: the dialogs that are asked for from anywhere.
import { kinds } from '../kinds/kinds'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { EraseDialog } from '../panels/erase-dialog'
import { SettingsDialog } from '../panels/settings'
import { StartProcess } from '../panels/start-process'
import { StartTalk } from '../panels/talk/start'
import type { RealmModel } from '../state/model'
import { words } from '../words'

export type DialogName = 'settings' | 'start'

interface Props {
  realm: RealmModel
  /** The one that this screen asks for. */
  open: DialogName | null
  onClose: () => void
}

export function Dialogs({ realm, open, onClose }: Props) {
  const app = useApp()
  const erasing = app.talks.erasing.value
  const starting = app.talks.starting.value
  return (
    <>
      {erasing && <EraseDialog key={erasing.id} realm={realm} erasing={erasing} />}
      {kinds().map((k) => k.Over && <k.Over key={k.name} realm={realm} />)}
      {starting && <StartTalk realm={realm} ask={starting} />}
      {open === 'settings' && <SettingsDialog realm={realm} onClose={onClose} />}
      {open === 'start' && (
        <Dialog title={words.stage.start} onClose={onClose} testid="start-dialog">
          <StartProcess places={[{ value: 'here', label: '', folder: !!realm.world.realm.path }]} />
        </Dialog>
      )}
    </>
  )
}
