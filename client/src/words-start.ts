// The texts of the start screen, and of the question for a name. src/words.ts states the rules for texts.
import { count, plural } from './words-format'

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'] as const

/** A number as a word up to ten, else in digits. */
export function spelled(n: number): string {
  return NUMBERS[n] ?? count(n)
}

export const startWords = {
  line: 'Watch agents read and write your code, drawn as a country you can walk through.',
  connecting: 'Connecting',
  opening: 'Opening the realm',
  /** waiting: how many of the n agents wait for the person. */
  agents: (n: number, waiting: number) => {
    if (waiting === 0) return n === 1 ? 'Watch your running agent' : `Watch your ${spelled(n)} running agents`
    if (n === 1) return 'Your agent waits for you'
    if (waiting === n) return `Your ${spelled(n)} agents wait for you`
    return `Of your ${spelled(n)} agents, ${spelled(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for you`
  },
  running: (name: string, realm: string) => `Watch the ${name} in ${realm}`,
  /** In place of `running` while the process has roles to take. */
  joins: (name: string, realm: string) => `Join the ${name} in ${realm}`,
  found: (n: number, realm: string) => `See ${plural(n, 'finding')} in ${realm}`,
  review: (scouts: number, folder: string) =>
    scouts === 1 ? `Watch a scout review ${folder}` : `Watch ${spelled(scouts)} scouts review ${folder}`,
  /** The text of the review button on a phone, where another button stands beside it. */
  reviewShort: (scouts: number) => (scouts === 1 ? 'Watch a scout' : `Watch ${spelled(scouts)} scouts`),
  startReview: 'Start a review',
  link: (folder: string) => `Open ${folder}`,
  enter: (realm: string) => `Enter ${realm}`,
  choose: 'Choose a folder',
  look: (realm: string) => `Just look around ${realm}`,
  more: 'A brainstorm, another folder or realm',
  nothing: 'Nothing is open here yet. The realm appears as soon as a host opens one.',
  free: 'Scouts only read the folder. They use no language model, and nothing leaves this machine.',
  /** The default problem of a code review. */
  problem: (folder: string) => `Code review of ${folder}`,
}

export const nameWords = {
  title: 'What is your name?',
  text: 'Everybody in the realm sees it beside what you say and do. Then what you asked for is done.',
  label: 'Your name',
  yes: (name: string) => `Continue as ${name}`,
  no: 'Not now',
  needed: 'It needs your name.',
}
