// The texts of councils and tasks. src/words.ts states the rules for texts.
import { count } from '../../words-format'

export const councilWords = {
  council: {
    name: 'Council',
    emptyTranscript: 'The first member is about to speak.',
    startWord: 'A council: agents take turns',
    withAgent: 'Start conversation with…',
  },
  task: {
    name: 'Task',
    emptyTranscript: 'The agent is about to begin.',
    startWord: 'A task for one agent',
    withAgent: 'Assign task',
  },
  next: (name: string) => `next: ${name}`,
  queued: (n: number) =>
    n === 1
      ? 'Queued: only one council or task runs at a time. It starts when that one ends.'
      : `Queued: ${count(n)} councils and tasks run at once. It begins when one of them ends.`,
  sayYours: 'Your turn: answer here',
  yourTurn: 'It is your turn in this council.',
  pass: 'Skip my turn',
  heard: (members: number) =>
    members === 1
      ? 'Anybody can speak: the agent hears it at its next turn.'
      : 'Anybody can speak: members hear it at their next turn.',
  heardNoMore: 'The last turn is under way. No agent hears what is said now.',
  full: (n: number) =>
    n === 1
      ? 'One council or task is running, which is the limit: this one will be queued.'
      : `${count(n)} councils and tasks are running, which is the limit: this one will be queued.`,
  off: 'The settings of this realm allow no council of agents. Tasks and chats are possible.',
}
