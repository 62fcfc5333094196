// The setting of the speed of speech on the map. It applies to this browser only and takes effect at once.
import { speedOf } from '../speech-speed'
import { directorWords } from '../words-director'
import { Choice } from './choice'
import { useApp } from './context'

export function SpeechSpeed() {
  const app = useApp()
  return (
    <div class="fields">
      <Choice
        label={directorWords.speed}
        testid="setting-speech"
        value={app.speechSpeed.value}
        options={directorWords.speeds}
        onPick={(speed) => app.setSpeechSpeed(speedOf(speed))}
      />
      <p class="quiet">{directorWords.speedText}</p>
    </div>
  )
}
