// The texts of processes as conversations. src/words.ts states the rules for texts.
export const processWords = {
  name: 'Process',
  emptyTranscript: 'The member who is asked speaks first.',
}
