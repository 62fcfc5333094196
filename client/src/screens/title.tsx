// The title of the browser's window: how many questions of agents and turns wait for the person, and the name of
// the realm. It is a component of its own, so that a new question renders only the title.
import { useEffect } from 'preact/hooks'
import { useApp } from '../panels/context'
import { useSelect } from '../panels/use-select'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { askingElsewhere } from '../state/roster'
import { myAsks } from '../state/select'
import { words } from '../words'

export function Title({ realm }: { realm: RealmModel }) {
  const app = useApp()
  const name = useSelect(() => realm.world.realm.name, [realm])
  const doors = useSelect(() => (realm.world.doors ?? []).filter(isOpen).length, [realm])
  const elsewhere = useSelect(() => askingElsewhere(app.model).length, [app])
  const turns = useSelect(() => myAsks(app.model).length, [app])
  useEffect(() => {
    const waits = doors + elsewhere + turns
    const count = waits > 0 ? `(${waits}) ` : ''
    const title = turns > 0 ? `${name} · ${words.roster.yourTurn}` : name ? `${name} · ${words.game}` : words.game
    document.title = count + title
    return () => {
      document.title = words.game
    }
  }, [turns, name, doors, elsewhere])
  return null
}
