// The texts of erasing, part of words.ts.
import { join } from './words-format'

export const erasureWords = {
  erase: 'Erase this conversation…',
  eraseAsk: (title: string) => `Erase “${title}”?`,
  eraseText:
    'Everything that was said in it is erased, for everybody: messages, tool outputs, summaries, and its ' +
    'traces in the search and in this browser. Findings and artifacts that it produced lose what they ' +
    'quote of it.',
  eraseMe: 'Erase my words…',
  eraseMeTitle: 'Your words here',
  /** In place of `eraseMeAbout` for a spectator, who may not erase. */
  askHost: 'Only hosts can erase: ask one of them if your words and your name should go.',
  eraseMeAbout: 'Everything that you said in this realm, and your name, can be erased. What others said stays.',
  eraseMeAsk: 'Erase everything that you said here?',
  eraseMeText:
    'Your messages in this realm and your name are erased, for everybody. Conversations in which only you and ' +
    'agents spoke are erased completely, and so is everything that this browser stores about you. You return as ' +
    'somebody new. What others said in their own words stays.',
  final: 'This cannot be undone.',
  yes: 'Erase for good',
  no: 'Keep it',
  noMe: 'Keep my words',
  working: 'Erasing. Every file of the realm that contains it is rewritten; this may take a while.',
  waiting: 'Waiting for the connection. The server erases it as soon as it is reached.',
  hide: 'Close; erasing continues',
  failed: 'It was not erased.',
  doneTitle: 'Erased',
  gone: 'It is erased.',
  doneNothing: 'Nothing of it was found.',
  changed: 'What was changed',
  unreached: 'What cannot be reached from here',
  unreachedNone: 'Nothing: no other copy or export is known.',
  took: (at: string) => `Done at ${at}.`,
  done: 'Done',
  beginAgain: 'Begin as somebody new',
  setAside: (names: readonly string[]) => `files that recovery had set aside: ${names.join(', ')}`,
  records: (parts: readonly string[]) => `in the server’s records: ${join(parts)}`,
  things: {
    events: 'event',
    messages: 'message',
    files: 'file',
    runs: 'run',
    answers: 'kept answer',
    insights: 'insight',
    names: 'name',
    findings: 'finding',
    artifacts: 'artifact',
    quests: 'quest',
    conversations: 'conversation',
    commands: 'command',
    bases: 'kept state',
    skills: 'skill',
    unreadableEvents: 'removed event that could not be read',
    unreadableRows: 'emptied message that could not be read',
    damagedRows: 'kept message that is damaged',
  } as Record<string, string>,

  erased: 'This conversation was erased.',
  erasedNext: 'Nothing of it is kept here.',
  toOthers: 'Show the other conversations',
  wordsErased: 'These words were erased.',
  somebody: 'Somebody',
}
