// The texts of chats. src/words.ts states the rules for texts.
export const chatWords = {
  name: 'Chat',
  emptyTranscript: 'Say something to begin.',
  startWord: 'A chat with one agent',
  talk: 'Talk',
  aboutStage: 'Talk about this stage',
  say: (name: string) => `Say something to ${name}`,
  next: 'Questions to go on with',
  left: 'left',
  takeUp: 'This chat was left. A message takes it up again.',
  close: 'Close the chat: it stays to read',
  closeIt: 'Close',
  stopHint: 'Stops this answer. What was said stays.',
}
