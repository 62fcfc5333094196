// The English of the toy kind.
export const toyWords = {
  name: 'Riddle',
  begins: 'Somebody asks a riddle.',
  beginTitle: 'Ask a riddle',
  beginWord: 'A riddle: one asks, all guess',
  go: 'Ask it',
  guesses: (n: number) => `${n} guesses left`,
  giveUp: 'Give up',
  say: 'Guess',
}
