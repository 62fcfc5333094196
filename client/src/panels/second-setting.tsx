// The setting of the second scene on the map. It applies to this browser only and takes effect at once.
import { directorWords } from '../words-director'
import { useApp } from './context'
import { Switch } from './switch'

export function SecondSetting() {
  const { watching } = useApp()
  return (
    <Switch
      label={directorWords.secondSetting}
      text={directorWords.secondText}
      testid="setting-second"
      on={watching.second.value}
      onPick={(on) => watching.setSecond(on)}
    />
  )
}
