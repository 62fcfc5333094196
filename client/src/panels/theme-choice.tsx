// The choice of a theme. It applies to this browser only and takes effect at once.
import { useState } from 'preact/hooks'
import { keepTheme, showTheme, themeOf, type Theme } from '../identity/theme'
import { words } from '../words'
import { Choice } from './choice'
import { useApp } from './context'

export function ThemeChoice() {
  const app = useApp()
  const [theme, setTheme] = useState(() => themeOf(app.storage))
  const pick = (picked: Theme) => {
    setTheme(picked)
    keepTheme(app.storage, picked)
    showTheme(document.documentElement, picked)
  }
  return (
    <Choice
      label={words.preferences.theme}
      testid="setting-theme"
      value={theme}
      options={words.preferences.themes}
      onPick={pick}
    />
  )
}
