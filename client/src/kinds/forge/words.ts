// The texts of forges and skills; words.ts has the rules for them.
import { count, plural } from '../../words-format'

export const forgeWords = {
  name: 'Forge',
  emptyTranscript: 'The smith is about to ask.',
  startTitle: 'Make a skill',
  startWord: 'A forge: make a skill, guided',
  abortText: 'The smith asks no more. What has been said stays, and a message takes it up again.',
  eraseNote: 'A skill that was made in it stays: it is a work of its own.',
  late: 'The server has not answered yet.',

  make: 'Make a skill…',
  about:
    'A skill tells an agent how something is done here: when to use it, the steps, examples. The smith ' +
    'asks, you answer by buttons or in your own words, and a SKILL.md comes out of it that you can give ' +
    'to an agent.',
  begin: 'Begin',
  beginning: 'Starting',

  phases: ['Purpose', 'Details', 'Confirm', 'Write', 'Check', 'Save'],
  phase: (name: string, at: string) => `Step ${at}: ${name}`,
  at: (i: number, n: number) => `${count(i)} of ${count(n)}`,
  made: 'The skill is made',
  existing: 'Looking for skills that do it already',
  failed: 'Saving did not work',
  fixing: 'Repairing what the check found',

  known: (n: number) => `What is known so far (${count(n)})`,
  topics: {
    purpose: 'Purpose',
    steps: 'Steps',
    triggers: 'When to use it',
    limits: 'When not to use it',
    examples: 'Examples',
    tools: 'Tools',
    references: 'References',
    scripts: 'Scripts',
    name: 'Name',
    description: 'Description',
    files: 'Files',
    problems: 'What the check found',
  } as Record<string, string>,

  working: { model: 'The smith is thinking', save: 'The skill is being saved' } as Record<string, string>,
  slow: 'This takes longer than usual. You can wait, or stop it: nothing is lost.',
  busy: 'The smith is at work. Your words stay here; send them when it has finished.',
  changed: 'The smith asks something else by now. Your words stay here, and answer that.',
  kept: 'Your words are back here.',
  answers: 'Answers to choose from',
  many: 'Choose any, and add words if you like.',
  done: 'Done',
  doneN: (n: number) => `Done (${count(n)})`,
  sayWords: 'Answer in your own words',
  sayChoice: 'Choose, or type its number',
  lines: 'Shift and Enter begin a new line.',
  say: 'Speak to the smith',
  choice: (labels: string) => `Chosen: ${labels}`,

  ready: (name: string) => `${name} is made.`,
  read: 'Read and give it',
  readOnly: 'Read it',
  left: 'left',
  takeUp: 'This talk was left. A message takes it up again, with everything that is known.',

  skills: 'Skills',
  empty: 'No skills yet.',
  emptyNext:
    'A skill is a page of know-how for agents: when to do something and how. Make one in a guided talk ' +
    'and give it to an agent; it knows it from its next turn on.',
  emptySpectator: 'A skill is a page of know-how for agents. It appears here when somebody makes one.',
  given: (n: number) => (n === 0 ? 'given to nobody' : `given to ${plural(n, 'agent')}`),
  open: (name: string) => `Read the skill ${name}`,
  fetching: 'Fetching the skill',
  fetchFailed: 'The skill could not be fetched.',
  missing: 'Its folder is not there now. Nobody is told it until the folder comes back.',
  removed: 'This skill is not there any more.',
  files: 'Files of this skill',
  giveTo: 'Give it to',
  giveWhom: (name: string) => `Who has the skill ${name}`,
  giveHint: 'An agent is told a skill from its next turn on.',
  noAgents: 'Nobody can be given it now: nothing plays an agent in this realm.',
  hasIt: (name: string) => `${name} has it: take it back`,
  give: (name: string) => `Give it to ${name}`,
  talk: 'The talk that made it',
}
