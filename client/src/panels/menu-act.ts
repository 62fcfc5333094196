// Decides what a key does while the completions of a command are shown. Pure.
import type { Choice } from './choices'

export type MenuAct =
  { kind: 'pick'; at: number } | { kind: 'close' } | { kind: 'type'; text: string } | { kind: 'choose'; choice: Choice }

type Key = Pick<KeyboardEvent, 'key' | 'shiftKey'>

/** What the key does in the menu; null if the menu does not use the key. at: the index of the selected completion. */
export function menuAct({ key, shiftKey }: Key, menu: readonly Choice[], at: number): MenuAct | null {
  const choice = menu[at]
  if (!choice) return null
  if (key === 'ArrowDown') return { kind: 'pick', at: (at + 1) % menu.length }
  if (key === 'ArrowUp') return { kind: 'pick', at: (at + menu.length - 1) % menu.length }
  if (key === 'Escape') return { kind: 'close' }
  if (shiftKey) return null
  if (key === 'Tab') return { kind: 'type', text: choice.whole ? choice.text : choice.text + ' ' }
  return key === 'Enter' ? { kind: 'choose', choice } : null
}
