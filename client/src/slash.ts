// Slash commands in a text: a word directly behind a slash at the beginning. A first word with another slash is a path,
// and the text is words to people. Pure.
import { words } from './words'

/** The maximum number of wrong letters for which a command counts as near. */
const NEAR = 2

/** The command with which the text begins, known or not, such as "/pause"; "" for words. */
export function commandIn(text: string): string {
  const word = text.split(/\s/, 1)[0] ?? ''
  return word.startsWith('/') && !word.includes('/', 1) ? word : ''
}

/** Whether the text begins with a command that there is. */
export function isCommand(text: string): boolean {
  return Object.hasOwn(words.commands, commandIn(text))
}

/** Why the text cannot be sent: it begins with a command that there is not; "" for any other text. */
export function mistyped(text: string): string {
  const word = commandIn(text)
  if (word === '' || isCommand(text)) return ''
  const near = Object.keys(words.commands)
    .map((name) => ({ name, far: distance(word.toLowerCase(), name) }))
    .sort((a, b) => a.far - b.far)[0]
  return words.prompt.noCommand(word, near && near.far <= NEAR ? near.name : '')
}

/** How many letters have to be added, removed or replaced to make b of a. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
