// The name and the colour that a person enters in the setup. The page registers them before it links a folder, starts a
// process or enters a realm.
import { useState } from 'preact/hooks'
import { HUES, isName } from '../identity/identity'
import { useApp } from '../panels/context'

export interface You {
  name: string
  color: string
  /** Whether the person tried to continue without a name. */
  nameless: boolean
  setName: (name: string) => void
  setColor: (color: string) => void
  /** Registers the name. If the name is missing, marks the field and returns false. */
  introduce: () => boolean
}

export function useYou(): You {
  const app = useApp()
  const known = app.identity.value
  const [name, setName] = useState(() => known?.name ?? app.drafts.get('name'))
  const [color, setColor] = useState<string>(
    () => known?.color ?? HUES[Math.floor(Math.random() * HUES.length)] ?? HUES[0],
  )
  const [nameless, setNameless] = useState(false)
  const introduce = (): boolean => {
    const said = name.trim()
    if (!isName(said)) {
      setNameless(true)
      document.getElementById('identity-name')?.focus()
      return false
    }
    app.setIdentity({ name: said, color })
    app.drafts.set('name', '')
    return true
  }
  return {
    name,
    color,
    nameless,
    setName: (next) => {
      setName(next)
      setNameless(false)
      app.drafts.set('name', next)
    },
    setColor: (next) => {
      setColor(next)
      if (known) app.setIdentity({ name: known.name, color: next })
    },
    introduce,
  }
}
