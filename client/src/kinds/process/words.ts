// The texts of processes as conversations. src/words.ts states the rules for texts.
export const processWords = {
  name: 'Process',
  abort: 'End',
  abortText: 'No further turns are taken. What was said stays, and so do the artifacts of the stages.',
  /** The questions that are offered once a process has ended. */
  afterwards: ['What should I do first?', 'What is risky here?', 'Where do I begin to read?'],
  emptyTranscript: 'The member who is asked speaks first.',
}
