// The texts of processes as conversations; words.ts has the rules for them.
export const processWords = {
  name: 'Process',
  emptyTranscript: 'Whoever is asked speaks first.',
}
