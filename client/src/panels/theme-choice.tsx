// The choice of a theme. It applies to this browser only and takes effect at once.
import { words } from '../words'
import { Choice } from './choice'
import { useApp } from './context'

export function ThemeChoice() {
  const app = useApp()
  return (
    <Choice
      label={words.preferences.theme}
      testid="setting-theme"
      value={app.theme.value}
      options={words.preferences.themes}
      onPick={(theme) => app.setTheme(theme)}
    />
  )
}
