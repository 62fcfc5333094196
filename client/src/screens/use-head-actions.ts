// The actions in the game screen's head. They are buttons in a row, or on a phone a menu.
import type { DialogName } from '../app'
import { useApp } from '../panels/context'
import { words } from '../words'
import { paletteWords } from '../words-palette'
import { shareWords } from '../words-share'

export interface HeadAction {
  testid: string
  label: string
  hint?: string
  act: () => void
}

export function useHeadActions(): HeadAction[] {
  const app = useApp()
  const onDialog = (name: DialogName) => {
    app.dialog.value = name
  }
  const find = () => {
    app.lookup.value = 'palette'
  }
  const all: (HeadAction | false)[] = [
    { testid: 'open-palette', label: paletteWords.open, hint: paletteWords.openHint, act: find },
    app.host.value && {
      testid: 'open-share',
      label: shareWords.open,
      hint: shareWords.hint,
      act: () => onDialog('share'),
    },
    { testid: 'open-preferences', label: words.preferences.open, act: () => onDialog('preferences') },
    app.host.value && { testid: 'open-settings', label: words.settings.open, act: () => onDialog('settings') },
    { testid: 'open-realms', label: words.head.realms, act: () => app.chooseRealm() },
  ]
  return all.filter((a) => a !== false)
}
