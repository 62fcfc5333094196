// The texts of forges and skills. src/words.ts states the rules for texts.
import { count, plural } from '../../words-format'

export const forgeWords = {
  name: 'Forge',
  /** What the list of conversations says after "waits for". */
  answer: 'an answer',
  emptyTranscript: 'The smith is about to ask.',
  startWord: 'A forge: make a skill step by step',
  abortText: 'The smith stops asking. What was said stays, and a message resumes the forge.',
  eraseNote: 'A skill that was made in it stays.',
  late: 'The server has not answered yet.',

  make: 'Make a skill…',
  about:
    'A skill tells an agent how something is done here: when to use it, steps, examples. The smith ' +
    'asks, you answer by buttons or in your own words, and the result is a SKILL.md that you can give ' +
    'to an agent.',
  begin: 'Begin',
  beginning: 'Starting',

  phases: ['Purpose', 'Details', 'Confirm', 'Write', 'Check', 'Save'],
  phase: (name: string, at: string) => `Step ${at}: ${name}`,
  at: (i: number, n: number) => `${count(i)} of ${count(n)}`,
  made: 'The skill is made',
  existing: 'Looking for similar skills',
  failed: 'Saving failed',
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
  slow: 'This takes longer than usual. Wait, or stop it; nothing is lost.',
  busy: 'The smith is at work. Your words stay here; send them when it has finished.',
  changed: 'The smith asks something else by now. Your words stay here, and answer that.',
  kept: 'Your words are back here.',
  answers: 'Answers to choose from',
  many: 'Choose any number, and add text if you like.',
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
  takeUp: 'This forge was left. A message takes it up again, with everything that is known.',

  skills: 'Skills',
  empty: 'No skills yet.',
  emptyNext:
    'A skill is a page of know-how for agents: when to do something and how. Make one step by step ' +
    'and give it to an agent, who knows it from the next turn on.',
  emptySpectator: 'A skill is a page of know-how for agents. It appears here when somebody makes one.',
  given: (n: number) => (n === 0 ? 'given to nobody' : `given to ${plural(n, 'agent')}`),
  open: (name: string) => `Read the skill ${name}`,
  fetching: 'Loading the skill',
  fetchFailed: 'The skill could not be loaded.',
  missing: 'Its folder is not there now. Nobody is told it until the folder comes back.',
  removed: 'This skill is not there any more.',
  files: 'Files of this skill',
  giveTo: 'Give it to',
  giveWhom: (name: string) => `Who has the skill ${name}`,
  giveHint: 'An agent gets a skill from its next turn on.',
  noAgents: 'No agent can get it now: no driver plays an agent in this realm.',
  hasIt: (name: string) => `${name} has it; take it away`,
  give: (name: string) => `Give it to ${name}`,
  talk: 'Show the forge that made it',
}
