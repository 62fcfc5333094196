// The texts of the command palette and of the list of keys, part of words.ts.
import { plural } from './words-format'

export const paletteWords = {
  title: 'Go to',
  open: 'Go to',
  openHint: 'Find a file, finding, talk or command (Ctrl or Cmd and K)',
  label: 'Search for a file, finding, person, talk or command',
  hint: 'A file, finding, person, talk or command',
  none: (text: string) => `Nothing is called “${text}”.`,
  busy: 'Searching the files',
  failed: (why: string) => `Only files that this page has shown are listed. ${why}`.trim(),
  found: (n: number, more: boolean) => (more ? `The best ${n}` : plural(n, 'result')),
  kinds: {
    command: 'Command',
    talk: 'Talk',
    agent: 'Agent',
    person: 'Person',
    finding: 'Finding',
    folder: 'Folder',
    file: 'File',
    realm: 'Realm',
  },
  actions: {
    start: 'Start a process',
    new: 'Begin a conversation',
    share: 'Share',
    preferences: 'Preferences',
    settings: 'Realm settings',
    realms: 'All realms',
    keys: 'Keys',
    talk: 'Show the talk',
    findings: 'Show the findings',
    quests: 'Show the quests',
    artifacts: 'Show the artifacts',
  },

  keys: 'Keys',
  keyList: [
    ['Ctrl or Cmd + K', 'Go to a file, finding, person, talk or command'],
    ['?', 'Show these keys'],
    ['Enter', 'Send what is typed'],
    ['Shift + Enter', 'Begin a new line'],
    ['/', 'In a box for text: a command'],
    ['Arrow keys', 'Move in a list, in tabs or on the map'],
    ['+ and −', 'On the map: nearer and farther'],
    ['Escape', 'Close, or leave the box for text'],
  ],
} as const
