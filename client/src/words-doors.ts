// The texts of doors: the questions of coding agents that a person answers. src/words.ts states the rules for texts.
import { actOf } from './words-acts'
import { plural } from './words-format'

/** What an agent asks for that uses a tool with which it asks a person something. */
const ASKS: Readonly<Record<string, string>> = {
  'ask a question': 'asks you',
  'propose a plan': 'asks whether to carry out its plan',
}

export const doorsWords = {
  title: (n: number) => (n === 1 ? 'An agent asks' : `Agents ask: ${n} questions`),
  asks: (tool: string) => ASKS[actOf(tool)] ?? `asks to ${actOf(tool) || `use ${tool}`}`,
  /** The names of the buttons for screen readers. choice: what a button does. what: what the agent asks for. */
  answer: (choice: string, agent: string, tool: string, what: string) =>
    `${choice}: ${agent}, ${actOf(tool) || tool}: ${what}`,
  choices: { allow: 'Allow', always: 'Always allow', deny: 'Refuse' } as Readonly<Record<string, string>>,
  hints: {
    allow: 'Allow this one call',
    always: 'Allow this call, and what the agent itself suggests to allow from now on',
    deny: 'Refuse this call; the agent is told so',
  } as Readonly<Record<string, string>>,
  /** what: what an agent suggests to allow from now on. */
  always: (what: string) => `Always allow: ${what}`,
  /** seconds: for how many seconds people can answer on the page. */
  until: (seconds: number) => `You can answer here for ${plural(seconds, 'second')}. Then it asks in its own terminal.`,
  /** The button that refuses to answer questions. */
  noAnswer: 'Do not answer',
  noAnswerHint: 'The agent is told that nobody answers, and goes on',
  send: 'Send the answer',
  /** question: what the agent asks. */
  other: (question: string) => `Another answer to: ${question}`,
  otherHint: 'Another answer',
  /** The note of a question to which a person can choose several answers. */
  many: 'Choose one or more',
  outcomes: {
    allowed: 'allowed',
    always: 'allowed',
    answered: 'answered',
    denied: 'refused',
    terminal: 'decided in its terminal',
    ended: 'its session is over',
  } as Readonly<Record<string, string>>,
  by: (outcome: string, name: string) => (name ? `${outcome} by ${name}` : outcome),
  /** what: what the agent may do from now on. */
  fromNowOn: (how: string, what: string) => `${how}, and from now on ${what || 'what the agent suggested'}`,
  you: 'you',
  /** The text for screen readers when a question has ended. */
  over: (agent: string, tool: string, how: string) => `${agent}, ${actOf(tool) || tool}: ${how}`,
  /** text: what an agent says about the command that it wants to run. */
  why: (text: string) => `Reason: ${text}`,
  details: 'Details',
  more: (n: number) => (n === 1 ? '1 more question' : `${n} more questions`),
  fewer: 'Show fewer',
  before: 'Before',
  after: 'After',
  terminal: 'Answer this in its own terminal.',
  /** Introduces the command that shows the terminal. */
  terminalAt: 'Answer this in its terminal:',
  guest: 'To answer here, open the link that the server printed: it shows that you run the server.',
  refused: (why: string) => `The answer was not accepted: ${why}`,
  session: 'Its session',
}

export const hooksWords = {
  offer: 'Hooks for your coding agents',
  /** Introduces the command that installs the hooks. */
  brings: (names: string) => `To answer and message ${names} from here, run in a terminal:`,
  command: 'agentdungeon hooks install',
  trust: 'Codex asks you at its next start to trust the hooks.',
  copy: 'Copy',
  hide: 'Do not show this again',
}
