// The theme that a person chose in this browser. Without a choice the page follows the system.
import type { SafeStorage } from './storage'

export type Theme = 'system' | 'dark' | 'light'

const KEY = 'theme'

export function themeOf(storage: SafeStorage): Theme {
  const kept = storage.get(KEY)
  return kept === 'dark' || kept === 'light' ? kept : 'system'
}

export function keepTheme(storage: SafeStorage, theme: Theme): void {
  if (theme === 'system') storage.remove(KEY)
  else storage.set(KEY, theme)
}

/** Shows the theme; styles/tokens.css has the colours of each. */
export function showTheme(root: HTMLElement, theme: Theme): void {
  if (theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = theme
}
