// The texts of what a person says to a coding agent. src/words.ts states the rules for texts.
export const tellWords = {
  label: (name: string) => `Say a word to ${name}`,
  say: 'Say it',
  states: {
    '': 'Queued: it gets this at its next stop.',
    handed: 'Handed to its hook; its own record does not show it yet.',
    delivered: 'Delivered: its own record shows it.',
    undelivered: 'Not delivered: its session ended first.',
    unknown: 'It was handed to its hook, but its record does not show it: nobody knows whether it was read.',
  } as Readonly<Record<string, string>>,
  refused: (why: string) => `Not said: ${why}`,
  deaf: 'This agent cannot hear you.',
  hooks: 'No hook of its session was heard: run "agentdungeon hooks install", then use it once.',
  terminal: 'Speak to it in its terminal:',
  own: 'Speak to it in its own terminal.',
  copy: 'Copy',
  guest: 'To speak to it, open the link that the server printed: it shows that you run the server.',
}
