// The texts of the toy kind.
export const toyWords = {
  name: 'Riddle',
  emptyTranscript: 'Somebody asks a riddle.',
  startWord: 'A riddle: one asks, all guess',
  go: 'Ask it',
  guesses: (n: number) => `${n} guesses left`,
  giveUp: 'Give up',
  say: 'Guess',
}
