// What a turn asks of a person. Pure.
import { firstSentence } from './cut'

/**
 * The whole goal of the stage, then what the prompt of the turn adds to it. The server's prompt begins with the first
 * sentence of the goal, or with an ellipsis after the beginning of a long one. Neither is said twice.
 */
export function taskOf(goal: string, prompt: string): string {
  const all = goal.trim()
  if (all === '' || prompt === '') return all || prompt
  const first = firstSentence(all.split('\n', 1)[0] ?? '')
  if (prompt.startsWith(first)) return all + prompt.slice(first.length)
  const end = prompt.indexOf('… ')
  return end > 0 && first.startsWith(prompt.slice(0, end)) ? all + prompt.slice(end + 1) : `${all} ${prompt}`
}
