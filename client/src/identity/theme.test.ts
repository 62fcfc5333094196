// The choice of a theme.
import { expect, it } from 'vitest'
import { memoryStorage } from '../testing/storages'
import { safeStorage } from './storage'
import { keepTheme, showTheme, themeOf } from './theme'

it('is kept, follows the system without a choice, and survives a damaged entry', () => {
  const browser = memoryStorage()
  const storage = safeStorage(() => browser)
  const root = document.createElement('html')
  expect(themeOf(storage)).toBe('system')
  keepTheme(storage, 'light')
  expect(themeOf(storage)).toBe('light')
  showTheme(root, 'light')
  expect(root.getAttribute('data-theme')).toBe('light')
  keepTheme(storage, 'system')
  showTheme(root, 'system')
  expect(themeOf(storage)).toBe('system')
  expect(root.hasAttribute('data-theme')).toBe(false)
  browser.setItem('agentDungeon.theme', 'purple')
  expect(themeOf(storage)).toBe('system')
})
