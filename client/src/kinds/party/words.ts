// The texts of parties; words.ts has the rules for them. Some texts are fixed by document 002 (S2-B6).
import { count, join, plural } from '../../words-format'

export const partyWords = {
  name: 'Party',
  emptyTranscript: 'A person speaks first.',
  startTitle: 'Set out as a party',
  startWord: 'A party: people and agents talk',

  choose: 'Choose a team',
  team: 'Team',
  loading: 'Asking the server which teams there are',
  late: 'The server has not answered yet.',
  failed: 'The teams could not be fetched.',
  none: 'No team yet. A file in the worlds folder’s teams adds one.',
  about:
    'People and agents of a team talk. Who speaks next is said in the words: a message that ends with ' +
    '[NEXT: name] asks somebody.',
  human: 'person',
  agent: 'agent',
  sessions: (n: number) => (n === 0 ? 'no session yet' : plural(n, 'session')),
  begin: 'Begin',
  beginning: 'Starting',
  resuming: 'Resuming',

  endsActive:
    'Somebody speaks in the session at hand: another session stops that turn. What was said stays, and it ' +
    'can be resumed later.',
  endsResting: 'The session at hand rests then. It can be resumed later.',

  found: (team: string) => `Found previous session for team '${team}'`,
  facts: (age: string, messages: number) => `${age}, ${plural(messages, 'message')}`,
  resume: '[R] Resume',
  fresh: '[N] Start New',
  pressRN: 'Press R to resume or N to start new',
  restoreFailed: (why: string) => `Failed to restore: ${why}`,
  startFailed: (why: string) => `Not begun: ${why}`,
  earlier: (n: number) => plural(n, 'earlier session'),
  resumeThis: 'Resume',
  back: 'Another team',

  speakAs: 'As',
  speakFree: 'whoever is free',
  held: (place: string, who: string) => `${place} (${who})`,
  speakHint: 'As whom you speak in this party',
  task: 'Team task',
  waitsYou: 'It waits for you.',
  waitsFor: (name: string) => `It waits for ${name}.`,
  waitsAnybody: 'It waits for somebody to speak.',
  fresh_: 'Say what it is about. A person speaks first.',
  /** The same text as the server's. */
  isAsked: (name: string) => `${name} is asked.`,
  turnOf: (name: string) => `${name} speaks`,
  next: 'Asked next',
  more: (n: number) => `and ${count(n)} more`,
  intents: { P1: 'first of all', P3: 'when nobody else waits' } as Record<string, string>,
  ask: 'Ask',
  askWhom: 'Whom the message asks to speak next',
  askOne: (name: string) => `Ask ${name}`,
  askHint: (name: string) => `Ask ${name}: writes who speaks next into the message`,
  takeBack: (name: string) => `Take back: ${name}`,
  takeBackHint: (name: string) => `Takes back that ${name} is asked: writes it into the message`,
  say: (name: string) => (name ? `Speak as ${name}` : 'Speak'),
  speaksAs: (name: string) => `spoke as ${name}`,
  taskSet: (text: string) => (text ? `team task: ${text}` : 'no team task'),
  asks: (parts: readonly string[]) => `asks ${join(parts)}`,
  gone: 'not in the team now',

  restored: (messages: number) =>
    messages === 1 ? 'One message is here again.' : `${count(messages)} messages are here again.`,
  countsText: (parts: readonly string[]) => join(parts),
  holds: (messages: number, by: string) => `${plural(messages, 'message')}${by ? `: ${by}` : ''}.`,
  since: (age: string) => `Begun ${age}.`,
  missing: (names: string) =>
    `Some speakers in history are not in current team: ${names}\nTheir messages will be displayed with original names.`,
  saved: 'saved',
  again: 'Ask again',
  againHint: (name: string) => `Asks ${name} once more, whose last turn did not end well`,
  goOnHint: 'Goes on with who is asked next',
  rests: 'This session rests. Another one of this realm is at hand.',
  restsAlone: 'This session rests.',
  goOn: 'Go on with it',
  ended: 'ended',
  stop: 'End',
  stopHint: 'Ends this session; it can be resumed later',
  stopAsk: (title: string) => `End “${title}”?`,
  stopText: 'What has been said is saved and stays here. The session can be resumed later.',
  stopYes: 'End session',
}
