// The settings that this browser alone remembers. They take effect at once.
import { AlertSettings } from '../alerts/alert-settings'
import { SpeechSpeed } from './speech-speed'
import { ThemeChoice } from './theme-choice'

export function BrowserSettings() {
  return (
    <>
      <ThemeChoice />
      <SpeechSpeed />
      <AlertSettings />
    </>
  )
}
