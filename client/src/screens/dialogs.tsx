// The dialogs over the game screen.
import { useEffect } from 'preact/hooks'
import { kinds } from '../kinds/kinds'
import { useApp } from '../panels/context'
import { Dialog } from '../panels/dialog'
import { EraseDialog } from '../panels/erase-dialog'
import { PreferencesDialog } from '../panels/preferences'
import { SettingsDialog } from '../panels/settings'
import { StartProcess, type Place } from '../panels/start-process'
import { StartConversation } from '../panels/conversation/start'
import type { RealmModel } from '../state/model'
import { hasProcess } from '../state/select'
import { words } from '../words'
import { Late } from './late'
import { Menu } from './menu'

const share = () => import('../panels/share/share').then((m) => m.ShareDialog)

interface Props {
  realm: RealmModel
}

export function Dialogs({ realm }: Props) {
  const app = useApp()
  const open = app.dialog.value
  const onClose = () => {
    app.dialog.value = null
  }
  // Closes the dialog when the game screen is left, so that the next visit begins without one.
  useEffect(() => () => void (app.dialog.value = null), [app])
  const erasing = app.conversations.erasing.value
  const starting = app.conversations.starting.value
  return (
    <>
      {erasing && <EraseDialog key={erasing.id} realm={realm} erasing={erasing} />}
      {kinds().map((k) => k.Overlay && <k.Overlay key={k.name} realm={realm} />)}
      {starting && <StartConversation realm={realm} ask={starting} />}
      {open === 'menu' && <Menu onClose={onClose} />}
      {open === 'preferences' && <PreferencesDialog onClose={onClose} />}
      {open === 'share' && <Late load={share} fail={onClose} props={{ realm, onClose }} />}
      {open === 'settings' && <SettingsDialog realm={realm} onClose={onClose} />}
      {open === 'start' && (
        <Dialog title={words.setup.problem} onClose={onClose} testid="start-dialog">
          <StartProcess places={[here(realm)]} like={realm.world.processState.template?.id} />
        </Dialog>
      )}
    </>
  )
}

/** The shown realm as the place of a new process. */
function here({ world }: RealmModel): Place {
  const busy = hasProcess(world) ? { busy: words.setup.busy(world.realm.name) } : {}
  return { value: 'here', label: '', folder: !!world.realm.path, ...busy }
}
