// The English of processes as conversations; words.ts says how it is written.
export const processWords = {
  name: 'Process',
  begins: 'Whoever is asked speaks first.',
}
