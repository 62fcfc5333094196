// The texts about messages of a person to a coding agent. src/words.ts states the rules for texts.
export const tellWords = {
  label: (name: string) => `Message ${name}`,
  say: 'Send',
  /** Shown while the agent waits for an answer of the person. */
  held: 'A message does not answer its question: it gets messages after you have answered, when it stops.',
  states: {
    '': 'Queued: it gets this when it stops next.',
    handed: 'Handed to its hook; its own record does not show it yet.',
    delivered: 'Delivered: its own record shows it.',
    undelivered: 'Not delivered: its session ended first.',
    unknown: 'Handed to its hook, but its record never showed it. It may not have been read.',
  } as Readonly<Record<string, string>>,
  /** The state of a queued message while the agent does nothing, for a program that takes messages only at a stop. */
  idle: (name: string) => `${name} is idle: it gets this after your next prompt there.`,
  stop: 'Stop',
  stopHint: 'It stops after the tool call that runs now, and waits for its next prompt.',
  stopping: 'Asked to stop: it stops after the tool call that runs now.',
  /** What has become of a request to stop, by its state, while the agent does nothing. */
  stops: {
    undelivered: 'Its turn was over before it could be stopped.',
    unknown: 'Asked to stop, but its own record does not show that it did.',
  } as Readonly<Record<string, string>>,
  notStopped: (why: string) => `Not stopped: ${why}`,
  refused: (why: string) => `Not sent: ${why}`,
  deaf: 'This agent cannot receive messages from here.',
  hooks: 'No hook of its session has called; "agentdungeon hooks install" installs them.',
  silent: 'Its hooks are installed; none of its session has called yet.',
  restart: 'Codex calls them after its next start, once you trust them.',
  terminal: 'Write to it in its terminal:',
  own: 'Write to it in its own terminal.',
  copy: 'Copy',
  guest: 'To write to it, open the link that the server printed: it shows that you run the server.',
}
