// The browser's title: the number of agents' questions, the name of the realm, and whether it is the person's turn. It
// is a component of its own, so that a question draws no part of the screen that does not show it.
import { useEffect } from 'preact/hooks'
import { useSelect } from '../panels/use-select'
import { isOpen } from '../state/doors'
import type { RealmModel } from '../state/model'
import { words } from '../words'

export function Title({ realm, asked }: { realm: RealmModel; asked: boolean }) {
  const name = useSelect(() => realm.world.realm.name, [realm])
  const questions = useSelect(() => (realm.world.doors ?? []).filter(isOpen).length, [realm])
  useEffect(() => {
    const count = questions > 0 ? `(${questions}) ` : ''
    const title = asked ? `● ${name} · ${words.roster.yourTurn}` : name ? `${name} · ${words.game}` : words.game
    document.title = count + title
    return () => {
      document.title = words.game
    }
  }, [asked, name, questions])
  return null
}
