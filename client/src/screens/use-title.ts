// The browser's title: the number of agents' questions, the name of the realm, and whether it is the person's turn.
import { useEffect } from 'preact/hooks'
import { words } from '../words'

export function useTitle(name: string, asked: boolean, questions: number): void {
  useEffect(() => {
    const count = questions > 0 ? `(${questions}) ` : ''
    const title = asked ? `● ${name} · ${words.roster.yourTurn}` : name ? `${name} · ${words.game}` : words.game
    document.title = count + title
    return () => {
      document.title = words.game
    }
  }, [asked, name, questions])
}
