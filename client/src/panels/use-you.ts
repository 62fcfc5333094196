// The name and the colour that a person enters in the setup. The name is optional: the page asks for a missing name
// when the person first speaks. A name that is entered here is registered before the page links a folder, starts a
// process or enters a realm.
import { useState } from 'preact/hooks'
import { isName } from '../identity/identity'
import { useApp } from './context'

export interface You {
  name: string
  color: string
  /** Whether the person tried to continue with an invalid name. */
  invalid: boolean
  setName: (name: string) => void
  setColor: (color: string) => void
  /** Registers the entered name, if there is one. Returns false and marks the field if the name is invalid. */
  introduce: () => boolean
}

export function useYou(): You {
  const app = useApp()
  const known = app.identity.value
  const [name, setName] = useState(() => known?.name ?? app.drafts.get('name'))
  const [color, setColor] = useState(known?.color ?? app.suggestion.color)
  const [invalid, setInvalid] = useState(false)
  const introduce = (): boolean => {
    const said = name.trim()
    if (said === '' && !known) return true
    if (!isName(said)) {
      setInvalid(true)
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
    invalid,
    setName: (next) => {
      setName(next)
      setInvalid(false)
      app.drafts.set('name', next)
    },
    setColor: (next) => {
      setColor(next)
      if (known) app.setIdentity({ name: known.name, color: next })
    },
    introduce,
  }
}
