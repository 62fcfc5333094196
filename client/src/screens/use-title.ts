// The browser's title: the name of the realm, and whether it is the person's turn.
import { useEffect } from 'preact/hooks'
import { words } from '../words'

export function useTitle(name: string, asked: boolean): void {
  useEffect(() => {
    document.title = asked ? `● ${name} · ${words.roster.yourTurn}` : name ? `${name} · ${words.game}` : words.game
    return () => {
      document.title = words.game
    }
  }, [asked, name])
}
