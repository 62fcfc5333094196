// The texts of erasing, part of words.ts.
import { join } from './words-format'

export const erasureWords = {
  erase: 'Erase this conversation…',
  eraseAsk: (title: string) => `Erase “${title}”?`,
  eraseText:
    'Everything that was said in it goes, for everybody: messages, tools’ outputs, summaries, what it ' +
    'left in the search and in this browser. Findings and artifacts that came out of it lose what they ' +
    'quote of it.',
  eraseMe: 'Erase my words…',
  eraseMeTitle: 'Your words here',
  eraseMeAbout:
    'Everything that you have said in this realm, and your name with it, can be erased. What others said stays.',
  eraseMeAsk: 'Erase everything that you have said here?',
  eraseMeText:
    'Every message of yours in this realm and your name go, for everybody; conversations in which only you and ' +
    'agents spoke go whole, and so does everything that this browser keeps of you. You come back as ' +
    'somebody new. What others said in words of their own stays.',
  final: 'This cannot be undone.',
  yes: 'Erase for good',
  no: 'Keep it',
  noMe: 'Keep my words',
  working: 'Erasing. Every file of the realm that holds it is written anew; this may take a while.',
  waiting: 'Waits for the connection. It is erased as soon as the server hears of it.',
  hide: 'Close: it goes on',
  failed: 'It was not erased.',
  doneTitle: 'Erased',
  gone: 'It is erased.',
  doneNothing: 'Nothing of it was found.',
  changed: 'What was changed',
  unreached: 'What cannot be reached from here',
  unreachedNone: 'Nothing: no earlier copy or export is known.',
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
  toOthers: 'To the other conversations',
  wordsErased: 'These words were erased.',
  somebody: 'Somebody',
}
