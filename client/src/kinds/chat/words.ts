// The English of chats; words.ts says how it is written.
export const chatWords = {
  name: 'Chat',
  begins: 'Say something to begin.',
  beginTitle: 'Talk to an agent',
  beginWord: 'A chat with one agent',
  talk: 'Talk',
  aboutStage: 'Talk about this stage',
  say: (name: string) => `Speak to ${name}`,
  left: 'left',
  takeUp: 'This talk was left. A message takes it up again.',
  close: 'Close the chat: it stays to read',
  closeIt: 'Close',
  stopHint: 'Stops this answer. What has been said stays.',
}
