// What a turn asks of a person. Pure.
import { firstSentence } from './cut'

/**
 * The whole goal of the stage, then what the prompt of the turn adds to it. The server's prompt begins with the first
 * sentence of the goal, which is not said twice.
 */
export function taskOf(goal: string, prompt: string): string {
  const all = goal.trim()
  if (all === '' || prompt === '') return all || prompt
  const first = firstSentence(all.split('\n', 1)[0] ?? '')
  return prompt.startsWith(first) ? all + prompt.slice(first.length) : `${all} ${prompt}`
}
