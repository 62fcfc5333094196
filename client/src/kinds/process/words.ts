// The texts of processes as conversations. src/words.ts states the rules for texts.
import type { Waiting } from '../../net/protocol.gen'

export const processWords = {
  name: 'Process',
  abort: 'End',
  abortText: 'No further turns are taken. What was said stays, and so do the artifacts of the stages.',
  /** The questions that are offered once a review has ended. */
  afterwards: ['What should I do first?', 'What is risky here?', 'Where do I begin to read?'],
  /** What the list of conversations says after "waits for". */
  waitsFor: {
    role_open: 'somebody to take a role',
    approval: 'a host',
    turn_failed: 'a host',
  } satisfies Record<Waiting['code'], string>,
  emptyTranscript: 'The member who is asked speaks first.',
}
