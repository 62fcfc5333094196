// The texts of conversations, part of words.ts.
import type { Conversation } from './net/protocol.gen'
import { plural } from './words-format'

export const conversationWords = {
  list: 'Conversations',
  showList: 'All conversations',
  hideList: 'Fewer',
  back: 'All conversations',
  all: 'All',
  first: {
    ask: (name: string) => `Ask ${name}, an agent that reads this repository:`,
    questions: [
      'What is this repository?',
      'What should I do first?',
      'Where do I begin to read?',
      'What is risky here?',
      'Who knows this code?',
    ],
    new: 'A chat with an agent, a task, a council, a party or a forge:',
    begin: 'Begin a conversation',
    spectator:
      'Nobody has said anything yet. What is said in this realm appears here. Hosts ask the agents; in the box ' +
      'below you speak to people.',
  },
  hall: 'Said to all',
  hallMeta: 'What people say outside of a conversation',
  more: 'Older conversations',
  loadingList: 'Loading the list',
  listFailed: 'The list could not be loaded.',
  again: 'Try again',
  unread: 'something new',
  running: 'at work',
  asked: 'your turn',
  waitsFor: (names: string) => `waits for ${names}`,
  status: {
    active: 'open',
    queued: 'queued',
    paused: 'paused',
    interrupted: 'cut off',
    completed: 'done',
    abandoned: 'ended early',
    failed: 'failed',
  } satisfies Record<Conversation['status'], string>,

  loading: 'Loading the conversation',
  waiting: 'Waiting for the connection',
  failed: 'The conversation could not be loaded.',
  silent: 'The server has not answered yet.',
  gone: 'Back to the process',
  nothing: 'Nothing has been said yet.',
  soon: 'Starting a conversation',

  task: 'Task',
  about: (stage: string) => `About the stage ${stage}; the agent knows its artifacts.`,
  queued: 'Queued: it starts when there is room.',
  paused: 'Paused until somebody resumes it.',
  interrupted: 'Cut off when the server stopped.',
  ended: {
    completed: 'This conversation is over. It stays here to read.',
    abandoned: 'This conversation was ended early. It stays here to read.',
    failed: 'This conversation has failed. It stays here to read.',
  },

  isAtWork: (name: string) => `${name} is at work`,
  isAsked: (name: string) => `${name} is asked`,

  pause: 'Pause',
  resume: 'Resume',
  abort: 'End it',
  abortAsk: (title: string) => `End “${title}”?`,
  abortText: 'No further turns are taken. What was said stays.',
  abortYes: 'End it',
  keep: 'Cancel',
  rename: 'Rename',
  renameLabel: 'Title',
  save: 'Save',
  cancel: 'Cancel',
  stop: 'Stop',
  stopHint: 'Stops this answer. The conversation waits until you resume it.',
  stopping: 'Stopping',
  retry: 'Answer again',
  retryHint: {
    error: 'The last answer failed.',
    timeout: 'The last answer took too long.',
    cancelled: 'The last answer was stopped.',
    interrupted: 'The last answer was cut off when the server stopped.',
  } as Record<string, string>,

  moreFor: 'More for this conversation',
  copyLink: 'Copy the link to this talk',
  copyMessageLink: 'Copy the link to this message',
  copyOne: 'Copy this message',
  copyAll: 'Copy the conversation',
  stage: 'Stage to show',
  allStages: 'All stages',
  part: 'An older part of this conversation',
  toNewest: 'Show the newest',

  tool: {
    input: 'Input',
    output: 'Output',
    noInput: 'No input.',
    noOutput: 'No output.',
    ignored: (files: readonly string[]) =>
      files.length > 0
        ? `Not kept: git ignores ${files.join(', ')}.`
        : 'Not kept: git ignores a file that this call names.',
    cut: 'The output is shortened.',
    whole: 'Load all of it',
    status: { open: 'runs', done: 'done', error: 'failed', interrupted: 'outcome unknown', cancelled: 'stopped' },
    started: 'started',
    waiting: 'waits for permission',
    asks: 'waits for an answer',
    refused: 'refused',
    unknown: 'It was cut off while it ran: nobody knows whether it was done. Look before it is done again.',
  },

  pausedAlready: 'This conversation waits already.',
  sayAll: 'Say something to everyone',
  send: 'Send',
  overtakenOwn:
    'Another window of yours spoke here before this message arrived. Both are kept, in the order in which they came.',
  overtaken: (name: string) => `${name} spoke here before your message arrived. Nothing is lost; read it above.`,
  dismiss: 'Close this notice',

  search: 'Search all conversations',
  searchHint: 'Search',
  searching: 'Searching',
  searchFailed: 'The search failed.',
  noHits: 'Nothing was found.',
  hits: (n: number) => `${plural(n, 'row')} found`,
  clear: 'Clear the search',

  new: 'New',
  actions: (name: string) => `What to do with ${name}`,
  dialog: {
    title: 'New conversation',
    kind: 'Kind',
    who: 'Who takes part',
    agent: 'Agent',
    /** An agent in a list. side: what it is good at. */
    agentFor: (name: string, side: string) => `${name}: ${side}`,
    you: 'You take turns too',
    task_: 'Task',
    taskHint: 'A sentence or a page: what to find, decide or write.',
    taskMissing: 'Say what it is about.',
    whoMissing: 'Choose at least two members, or give one agent a task.',
    agentMissing: 'Choose an agent.',
    turns: 'Turns of all members together',
    nobody:
      'No agent is played in this realm now. Scouts need a linked folder; a model ' +
      '(-model-url) or a script (-script) plays agents in every realm.',
    start: 'Start',
    starting: 'Starting',
    tooLarge: 'This is longer than 16 KB. It is kept here; shorten it.',
  },
}
