// The dialog of personal settings. They apply to this browser only and take effect at once; the name and the colour,
// which everybody in the realm sees, are here too.
import { AlertSettings } from '../alerts/alert-settings'
import { words } from '../words'
import { useApp } from './context'
import { Dialog } from './dialog'
import { ForgetMe } from './forget-me'
import { SecondSetting } from './second-setting'
import { SpeechSpeed } from './speech-speed'
import { ThemeChoice } from './theme-choice'
import { useYou } from './use-you'
import { YouFields } from './you-fields'

export function PreferencesDialog({ onClose }: { onClose: () => void }) {
  const app = useApp()
  const you = useYou()
  return (
    <Dialog title={words.preferences.title} onClose={onClose} testid="preferences">
      <p class="quiet">{words.preferences.text}</p>
      <div class="fields">
        <ThemeChoice />
        <SpeechSpeed />
        <SecondSetting />
        <AlertSettings />
        <YouFields you={you} atOnce />
      </div>
      {app.host.value ? (
        <ForgetMe onErase={onClose} />
      ) : (
        <p class="quiet" data-testid="ask-to-erase">
          {words.erasure.askHost}
        </p>
      )}
    </Dialog>
  )
}
