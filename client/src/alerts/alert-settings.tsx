// The switches for notifications and sounds. They apply to this browser only and take effect at once.
import { useState } from 'preact/hooks'
import { useApp } from '../panels/context'
import { Switch } from '../panels/switch'
import { alertWords as w } from '../words-alerts'
import { isOn, permission, switchNotify, turn } from './choice'
import { play } from './tones'

export function AlertSettings() {
  const { storage } = useApp()
  const [notify, setNotify] = useState(() => isOn(storage, 'notify') && permission() === 'granted')
  const [sound, setSound] = useState(() => isOn(storage, 'sound'))
  const [denied, setDenied] = useState(false)
  const pickNotify = async (on: boolean) => {
    const allowed = await switchNotify(storage, on)
    setNotify(allowed)
    setDenied(on && !allowed)
  }
  const pickSound = (on: boolean) => {
    turn(storage, 'sound', on)
    setSound(on)
    if (on) play('turn') // plays the tone once as a sample; the click also makes the browser allow sound
  }
  return (
    <fieldset class="fields">
      <legend>{w.heading}</legend>
      <Switch
        label={w.notify}
        text={w.notifyText}
        testid="setting-notify"
        on={notify}
        onPick={(on) => void pickNotify(on)}
      />
      {denied && (
        <p class="problem" role="alert">
          {w.notifyDenied}
        </p>
      )}
      <Switch label={w.sound} text={w.soundText} testid="setting-sound" on={sound} onPick={pickSound} />
    </fieldset>
  )
}
