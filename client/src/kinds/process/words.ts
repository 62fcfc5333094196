// The texts of processes as conversations; words.ts has the rules for them.
export const processWords = {
  name: 'Process',
  emptyTranscript: 'The member who is asked speaks first.',
}
