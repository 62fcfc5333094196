// The texts of parties. src/words.ts states the rules for texts. Document 002 prescribes some of these texts (S2-B6).
import { count, join, plural } from '../../words-format'

export const partyWords = {
  name: 'Party',
  emptyTranscript: 'A person speaks first.',
  startWord: 'A party: people and agents',

  choose: 'Choose a team',
  team: 'Team',
  loading: 'Loading the teams',
  late: 'The server has not answered yet.',
  failed: 'The teams could not be loaded.',
  none: 'No team yet. Add a file to teams in the worlds folder.',
  about:
    'People and agents of a team talk. A message names the next speaker: one that begins with a name, as ' +
    '“Sage, ...”, or ends with [NEXT: name] asks that member.',
  human: 'person',
  agent: 'agent',
  sessions: (n: number) => (n === 0 ? 'no session yet' : plural(n, 'session')),
  begin: 'Begin',
  beginOrResume: 'Begin or resume',
  beginning: 'Starting',
  resuming: 'Resuming',

  endsActive:
    'Somebody is speaking in the current session. Another session stops that turn. What was said stays, and ' +
    'the session can be resumed later.',
  endsResting: 'The current session ends. It can be resumed later.',

  found: (team: string) => `Found previous session for team '${team}'`,
  facts: (age: string, messages: number) => `${age}, ${plural(messages, 'message')}`,
  resume: '[R] Resume',
  fresh: '[N] Start New',
  pressRN: 'Press R to resume or N to start new',
  restoreFailed: (why: string) => `Failed to restore: ${why}`,
  startFailed: (why: string) => `Not started: ${why}`,
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
  anybody: 'a person',
  fresh_: 'Describe the task. A person speaks first.',
  /**
   * Equals the reason that the server gives when it asks a member. standing.tsx recognizes the reason by this text.
   */
  isAsked: (name: string) => `${name} is asked.`,
  turnOf: (name: string) => `${name} speaks`,
  next: 'Asked next',
  more: (n: number) => `and ${count(n)} more`,
  intents: { P1: 'first of all', P3: 'when nobody else waits' } as Record<string, string>,
  ask: 'Ask',
  askWhom: 'Whom the message asks to speak next',
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
  holds: (messages: number, by: string) => `${plural(messages, 'message')}${by ? `: ${by}` : ''}.`,
  since: (age: string) => `Started ${age}.`,
  missing: (names: string) =>
    `Some speakers in history are not in current team: ${names}\nTheir messages will be displayed with original names.`,
  saved: 'saved',
  again: 'Ask again',
  againHint: (name: string) => `Asks ${name} again, whose last turn failed`,
  goOnHint: 'Continues with the member who is next',
  rests: 'This session is not active. Another one is the current session of this realm.',
  restsAlone: 'This session is not active.',
  goOn: 'Resume it',
  ended: 'ended',
  stop: 'End',
  stopHint: 'Ends this session; it can be resumed later',
  stopAsk: (title: string) => `End “${title}”?`,
  stopText: 'What was said is saved and stays here. The session can be resumed later.',
  stopYes: 'End session',
}
