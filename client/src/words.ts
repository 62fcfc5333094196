// All texts of the page, together with the files words-*.ts and kinds/*/words.ts, except those that people and the
// server write. They are short, concrete and in the present tense. A button says what it does; an error says what
// happened, why, what to do and what is lost.
import type { TemplateInfo, Waiting } from './net/protocol.gen'
import { count, facts, plural } from './words-format'
import { findingWords, questWords } from './words-findings'
import { driverWords } from './words-driver'
import { erasureWords } from './words-erasure'
import { conversationWords } from './words-conversation'
import { mapWords } from './words-map'
import { resultWords } from './words-results'

export { age, ago, bytes, clock, count, day, DOT, facts, join, moment, plural, title } from './words-format'

/** An agent's activity as a word; other activities of a driver are shown as they are. */
export function activityWord(activity: string | undefined): string {
  return activity === 'conversing' ? 'in a council' : activity === 'cooldown' ? 'resting' : (activity ?? '')
}

export const words = {
  game: 'Agent Dungeon',

  boot: {
    connecting: 'Connecting to the server',
    opening: 'Opening the realm',
    snapshot: 'Loading the world',
    events: (n: string) => `${n} events in its history.`,
    failed: 'Part of this page could not be loaded. Reload to continue; nothing that was saved is lost.',
  },

  setup: {
    title: 'Choose what to open',
    chosen: 'The realm keeps running while you are here.',
    gone: (name: string) =>
      `The realm ${name} is no longer open on this server. What was saved is in the list below, unless ` +
      'somebody removed it.',
    back: (name: string) => `Back to ${name}`,
    toStart: 'Back to the start',
    analyzing: 'The server is reading a folder for the first time. Its realm appears here when it is open.',

    you: 'You',
    name: 'Your name',
    nameHint: '1 to 40 characters. Everybody in the realm sees it.',
    nameLater: 'Asked for when you speak',
    nameMissing: 'Enter a name: 1 to 40 characters, no control characters.',
    color: 'Your colour',
    hue: (i: number) => `Colour ${i + 1}`,

    folder: 'Link a folder',
    folderText: 'A folder on the server’s machine becomes a realm. The folder is only read.',
    offer: 'Link this folder',
    path: 'Full path of another folder',
    pathHint: '/home/you/project',
    link: 'Link',
    pathMissing: 'Enter the full path of a folder on the server’s machine.',

    problem: 'Start a brainstorm or a review',
    problemText: 'People or agents work through stages to a written result.',
    problemLabel: 'Problem',
    problemHint: 'A sentence or a page: a problem, a question or a plan.',
    problemMissing: 'Describe the problem in at least a sentence.',
    titleLabel: 'Title (optional)',
    formats: { whole: 'Runs by itself', partly: 'With people', people: 'Played by people' },
    choice: facts,
    template: 'Format',
    where: 'Repository',
    here: (name: string) => name,
    offered: (path: string) => path,
    typed: 'The folder entered above',
    nowhere: 'None',
    busy: (name: string) => `A process is running in ${name}. End it, or wait until it ends.`,
    start: 'Start',

    realms: 'Realms',
    noRealms: 'No realm yet. Link a folder or start a process, and its realm is listed here.',
    realmsLoading: 'Loading the realms',
    join: 'Enter',
    resume: 'Open',
    remove: 'Remove',
    removeAsk: (name: string) => `Remove ${name}?`,
    removeText:
      'Its transcripts, findings and artifacts are deleted for everybody and cannot be restored. The ' +
      'linked folder stays as it is.',
    removeYes: 'Remove for good',
    cancel: 'Keep it',
    open: 'open now',
    lastTime: 'opened last',
    lastExplored: (when: string) => `last opened ${when}`,
    noFolder: 'no folder',
    /** What the process of a realm does, by its status. */
    status: { running: 'running', paused: 'paused', completed: 'finished' } as Record<string, string>,
    /** In place of `status` of a realm whose process a person ended before its last stage had ended. */
    ended: 'ended early',

    spectator: 'This link lets you watch and speak. Hosts link folders and start processes.',
    nothingToWatch: 'No realm is open on this server yet. It appears here as soon as a host opens one.',

    scanning: (done: number, total: number) =>
      total > 0
        ? `Reading the folder: ${count(done)} of ${count(total)} files`
        : `Reading the folder: ${count(done)} files so far`,
    opening: (done: number, total: number) =>
      total > 0 ? `Opening the realm: ${count(done)} of ${count(total)}` : 'Opening the realm',
    working: 'Working',
    waits: 'Waiting for the connection',
  },

  driver: driverWords,

  connection: {
    connecting: 'Connecting',
    lost: 'The connection to the server is lost. What you send is kept and sent later.',
    first: 'The server does not answer.',
    again: (seconds: number) => (seconds > 0 ? `Next try in ${plural(seconds, 'second')}.` : 'Trying now.'),
    now: 'Try now',
    attaching: 'Connected. Catching up.',
    elsewhere: 'This page is open in another tab, which has the connection.',
    here: 'Continue here',
    notAllowed:
      'The server refused this page: the link’s token is missing or wrong. Open the link ' +
      'that the server prints when it starts.',
    badFrames:
      'The server closed the connection because this page sent invalid data. Reload to continue; ' +
      'nothing that was saved is lost.',
    protocol: 'The server and this page have different versions. Reload to get the matching page.',
    unreadable: 'This page could not read the server’s data. Reload to continue; nothing that was saved is lost.',
    closed: (code: number) => `The server closed the connection for good (code ${code}). Reload to try again.`,
    reload: 'Reload',
    online: 'Connected',
    offline: 'Not connected',
  },

  save: {
    saved: 'Saved',
    slow: 'Saving is slow',
    failing: (since: string) => `Not saved since ${since}`,
    failingNow: 'Not saved',
    /** While the page is not connected. at: when the server said something for the last time. */
    away: (at: string) => `Saved until ${at}`,
    awayHint: 'What is shown is saved. The server is away: what has happened since is not known.',
    board: 'The findings are saved, but their copy for other programs could not be written.',
    broken: 'This realm is read-only',
    details: {
      slow: 'The disk is slow. What you send is shown once it is saved.',
      failing:
        'The disk cannot be written. What you send waits and is kept; free some space or check the ' +
        'disk on the server’s machine.',
      broken: 'Its journal is damaged. Restart the server to recover it; everything shown here was saved.',
    },
  },

  restored: {
    line: (parts: readonly string[]) => `Restored: ${parts.join(', ')}.`,
    stage: (i: number, n: number) => `stage ${i} of ${n}`,
    findings: (n: number) => plural(n, 'finding'),
    cut: (n: number, again: boolean) =>
      n === 1
        ? `one turn was cut off${again ? ' and is taken again' : ''}`
        : `${count(n)} turns were cut off${again ? ' and are taken again' : ''}`,
    messages: (n: number) => plural(n, 'message'),
    saved: (at: string) => `saved at ${at}`,
    plain: 'everything is as it was',
    clean: 'this realm begins anew, because its files were gone',
    lost:
      'Some of what was said before is lost: the realm’s database was damaged, and is set aside in the ' +
      'realm’s folder.',
    salvage: (messages: string, events: string) =>
      `The realm’s database was damaged. What could be read is here: ${messages}, ${events}.`,
    salvageMessages: (n: number, of: number) => `${count(n)} of ${plural(of, 'message')}`,
    salvageEvents: (n: number, of: number) => `${count(n)} of ${plural(of, 'event')}`,
    salvageMore: (when: string, files: string) =>
      `It happened on ${when}. Messages whose text is lost are marked. ${files}`,
    salvageFiles: (names: string) => `The damaged files are kept in the realm’s folder: ${names}.`,
    older: (when: string) => `The newest state file was damaged; this is from ${when}.`,
    missing: (names: string) => `No longer in the cast: ${names}.`,
    dismiss: 'Dismiss',
  },

  tabs: {
    talk: 'Talk',
    findings: 'Findings',
    quests: 'Quests',
    artifacts: 'Artifacts',
    roster: 'Roster',
    label: 'Views of this realm',
  },

  notices: { more: 'More notices', fewer: 'One notice' },
  stage: {
    closeTitle: 'Close',
    /** How many files the agents have come to. Some cannot be read; the report counts those. */
    read: (n: number, of: number) => `${count(n)} of ${plural(of, 'file')}`,
    label: 'Stage of the process',
    at: (i: number, n: number) => `Stage ${i} of ${n}`,
    atShort: (i: number, n: number) => `${i} of ${n}`,
    goal: 'Goal',
    more: 'More',
    less: 'Less',
    none: 'Nothing is running here.',
    /** In place of `none` while coding agents are here or a conversation goes on. */
    noneOther: 'No process is running.',
    noneNext: 'Start something, or explore the map.',
    noneHost: 'A host can start something.',
    start: 'Start a brainstorm',
    asked: (names: string) => `Waiting for ${names}`,
    yours: (names: string) => `Your turn as ${names}`,
    running: (names: string) => `Working: ${names}`,
    /** Of a person who has a turn and is not connected. at: when they left; '' if it is unknown. */
    away: (name: string, at: string) => `${name} is not here${at && ` (left ${at})`}.`,
    awayAs: (role: string) => `The turn as ${role} waits.`,
    /** The numbers that stand in place of `asked` and `running` where there is no room for names. */
    askedCount: (n: number) => `Waiting for ${count(n)}`,
    yourTurn: 'Your turn',
    runningCount: (n: number) => `${count(n)} at work`,
    quiet: 'Nobody is working',
    parallel: 'All work at once, without seeing each other’s answers.',
    attempt: (n: number) => `attempt ${n}`,
    paused: 'Paused',
    pausing: 'Pausing after the current turns.',
    pausedText: 'Nothing continues until you resume.',
    completed: 'Completed',
    /** Of a process that a person ended before its last stage had ended. */
    ended: 'Ended early',
    result: 'Show the result',
    take: (name: string) => `Take the role ${name}`,
    resume: 'Resume',
    again: 'Try again',
    go: 'Start it',
    skip: 'Skip',
    skipAll: 'Skip all',
    restart: 'Restart the stage',
    restartAsk: 'Restart this stage?',
    restartText: 'What was said stays in the transcript but no longer counts.',
    cancel: 'Cancel',
    /** What spectators read in place of the server's sentence, which says what a host can do. */
    hostCan: {
      role_open: 'A host can take it or pass its turn.',
      approval: 'It continues when a host agrees.',
      turn_failed: 'A host can try it again or pass the turn.',
    } satisfies Record<Waiting['code'], string>,
    waitsForHost: 'Waiting for a host',
    waitingSince: (at: string) => `since ${at}`,
    waiting: {
      role_open: 'Waiting for somebody to take a role',
      approval: 'Waiting for you',
      turn_failed: 'A turn failed',
    } satisfies Record<Waiting['code'], string>,
    /** In place of `waiting.role_open` on a phone. name: the name of the only open role. */
    waitingFor: (name: string) => `Waiting for ${name}`,
    waitingRoles: (n: number) => `Waiting for ${plural(n, 'role')}`,
    takeShort: 'Take the role',
    takeOne: 'Take a role',
  },

  skipToBox: 'Skip to the text box',
  roster: {
    rail: 'Heroes, people and rooms',
    title: 'Roster',
    you: 'you',
    take: 'Take the role',
    takeFrom: 'Take over the role',
    leave: 'Leave the role',
    free: 'Free the role',
    freeAsk: (name: string) => `Free the role ${name}?`,
    /** Of a role whose holder has the turn. */
    freeText: (who: string) =>
      `${who} has the turn, and perhaps an answer that is not sent yet. The turn ends without an answer, and the ` +
      'process waits until somebody takes the role.',
    leaveAsk: (name: string) => `Leave the role ${name}?`,
    leaveText:
      'It is your turn. The turn ends without an answer, and the process waits until somebody takes the role. ' +
      'What you have typed is kept for you.',
    keep: 'Cancel',
    doing: {
      open: 'not taken',
      asked: 'has to answer',
      running: 'working',
      done: 'done for this stage',
      waiting: 'waiting',
      idle: 'idle',
    },
    yourTurn: 'your turn',
    /** Of a role of the person at this page that takes no turns in the current stage. */
    yourNext: (n: number, stage: string) => `your turn comes in stage ${n}, ${stage}`,
    /** Of the person who holds a role and is not connected. */
    away: 'not here',
    turns: (n: number, of: number) => `${count(n)} of ${plural(of, 'turn')}`,
    players: { scout: 'scout', model: 'model', script: 'script', none: 'agent' } satisfies Record<
      TemplateInfo['driver'],
      string
    >,
    empty: 'No agents here yet.',
    emptyNext: 'Roles come with a process. Coding agents at work in the linked folder come by themselves.',
    invite: 'Invite others',
    /** Introduces the roles of a process that is over, while coding agents work. */
    over: (n: number) => `${plural(n, 'role')} of a process that is over`,
    others: 'Also here',
    agents: 'Agents here',
    here: (n: number) => (n === 1 ? 'One person here' : `${count(n)} people here`),
    more: (n: number) => `and ${count(n)} more`,
    unnamed: (n: number) => (n === 1 ? 'One more watches without a name.' : `${count(n)} more watch without a name.`),
  },

  map: mapWords,

  transcript: {
    label: 'Transcript',
    older: 'Loading older messages',
    olderKept: 'Older messages are on the server. The search finds them.',
    picture: (name: string) => `Picture: ${name}`,
    checked: 'done',
    unchecked: 'to do',
    newest: 'To the newest',
    streaming: 'is writing',
    status: {
      open: 'not closed yet',
      done: '',
      cancelled: 'cancelled',
      interrupted: 'cut off when the server stopped',
      error: 'failed',
    },
    nothing: 'No text.',
    damaged: 'This message was damaged on the server’s disk. It may differ from what was said.',
    damagedLost: 'The text of this message was damaged on the server’s disk and cannot be read.',
    lost: 'This text is lost: the server stopped before it was saved.',
    all: (n: number) => `Show all ${count(n)} characters`,
    part: 'Show more',
    fold: 'Fold',
    copied: 'Copied',
    notCopied: 'This browser does not allow copying. Select the text and copy it by hand.',
    announced: (name: string, text: string) => `${name}: ${text}`,
    /** The answers of others in a stage in which all work at once, before the person has answered. */
    sealed: (n: number) =>
      n === 1
        ? 'An answer is hidden until you have answered.'
        : `${count(n)} answers are hidden until you have answered.`,
    bystander: 'spectator',
    /** Who holds these roles speaks to all, and not in one of them. */
    aside: (roles: string) => `${roles}, to all`,
    system: 'the realm',
    waiting: 'sent when the connection is back',
    nameless: 'waits for your name',
    sent: 'sending',
    held: 'waiting for the disk',
    takeBack: 'Take it back',
    putBack: 'Edit and send again',
    otherRealm: (n: number) =>
      `${plural(n, 'command')} for another realm ${n === 1 ? 'waits' : 'wait'} until you return there.`,
  },

  conversation: conversationWords,
  erasure: erasureWords,

  note: {
    started: (name: string, problem: string) => `${name} begins: ${problem}`,
    restarted: (name: string, n: number) => `${name} restarts (attempt ${n}).`,
    /** who: the person who asked for it, here and below; '' if nobody is known. */
    pausing: (who: string) =>
      who ? `${who} pauses the process after the current turns.` : 'Pausing after the current turns.',
    paused: (reason: string, who: string) => (reason ? `Paused: ${reason}` : who ? `Paused by ${who}.` : 'Paused.'),
    resumed: (who: string) => (who ? `${who} continues the process.` : 'The process continues.'),
    sealed: (name: string, summary: string) =>
      summary ? `${name} closes the stage: ${summary}` : `${name} closes the stage.`,
    /** early: whether a person ended the process before its last stage had ended. */
    completed: (n: number, early: boolean) =>
      (early ? 'The process was ended early' : 'All stages are done') +
      (n === 0 ? '' : `, with ${plural(n, 'artifact')}`) +
      '.',
    skipped: (names: string) => `Skipped: ${names}.`,
    error: (message: string) => `Error: ${message}`,
    taken: (name: string, who: string) => `${who} takes the role ${name}.`,
    agent: (name: string) => `${name} plays by itself from now on.`,
    /** who: the person who freed the role; '' if nobody is known. */
    freed: (name: string, who: string) =>
      who ? `${who} freed the role ${name}. It is open.` : `The role ${name} is open.`,
    settings: 'The settings have changed.',
    failed: (who: string, message: string) => `${who}’s turn failed: ${message}`,
    cancelled: {
      person: (who: string) => `${who}’s turn was cancelled.`,
      new_message: (who: string) => `A new message ended ${who}’s turn.`,
      interrupted: (who: string) => `${who}’s turn was cut off when the server stopped.`,
      skipped: (who: string) => `${who}’s turn was skipped.`,
      stage: (who: string) => `${who}’s turn ended with the stage.`,
      dismissed: (who: string) => `${who}’s turn ended without an answer.`,
    },
    somebody: 'somebody',
  },

  prompt: {
    label: 'Say something or give a command',
    /** While nothing runs, no agent reads it. */
    idle: (host: boolean, running: boolean) =>
      `Say something to ${running ? 'all' : 'the people here'}${host ? ', or type /' : ''}`,
    ask: (name: string) => `Ask ${name} about this repository`,
    focus: (name: string) => `Say something to ${name}, or type /focus for everyone`,
    turn: (name: string) => `Answer as ${name}`,
    yourTurn: (name: string) => `Your turn as ${name}`,
    answerAs: 'Answer as',
    answer: 'Answer',
    read: 'Question',
    goal: (goal: string) => `The goal of this stage: ${goal}`,
    pass: 'Pass',
    task: 'Task',
    /** goesOn: whether the process can still ask the person. */
    kept: (name: string, goesOn: boolean) =>
      `Your answer as ${name} was not sent. It is kept here` +
      (goesOn ? ', and is in the box if you get the turn again.' : '.'),
    goesTo: (who: string, title: string) => `This goes to ${who || 'everyone'}, in “${title}”.`,
    early: 'You began this before your turn. It goes to everyone.',
    answerWithIt: 'Make it the answer',
    unsent: 'What you typed here was not sent before the conversation ended. It is kept here.',
    copyKept: 'Copy',
    discard: 'Discard',
    send: 'Send',
    tooLarge: 'This is too long for one message (64 KB). Shorten it or send it in parts.',
    tooMany: 'A hundred commands are waiting already. Send this one later.',
    empty: 'Write something first.',
    noCommand: (word: string, near: string) =>
      near ? `There is no command ${word}. Do you mean ${near}?` : `There is no command ${word}. /help lists them.`,
    menu: 'Commands',
    until: (at: string) => `until ${at}`,
    noSocket: 'Not connected. What you send is kept and sent later.',
    noLink: 'Not connected: nothing is sent from here. Open the link with the token to take part.',
    spectator: 'You are a spectator: people read what you say here. Agents answer hosts only.',
    question: 'No agent answers a spectator. A host can ask for you: everybody here reads the question and the answer.',
    hostsCommand: 'Only hosts give commands and ask agents. Say it in plain words, and the hosts read it.',
  },

  commands: {
    '/pause': 'finish the current turns, then wait',
    '/resume': 'continue, approve, or retry a failed turn',
    '/skip': 'skip the current turn',
    '/restart': 'start this stage over',
    '/mode': 'choose when to wait for you',
    '/summon': 'have an open role played',
    '/dismiss': 'free a role',
    '/ask': 'ask an agent a question',
    '/focus': 'talk to one member, or to everyone again',
    '/export': 'export the report: markdown, svg (the map), json or sarif',
    '/quest': 'take a quest and work on it',
    '/team': 'list the teams; /team deploy begins a session of one',
    '/help': 'what each command does',
  },

  findings: findingWords,
  quests: questWords,

  export: {
    label: 'Export',
    formats: { markdown: 'Markdown', svg: 'Map', json: 'JSON', sarif: 'SARIF' },
    hints: {
      markdown: 'The report, to read',
      svg: 'The map as a picture (SVG)',
      json: 'Findings and quests, for programs',
      sarif: 'Findings, for editors and code hosts',
    },
  },

  ...resultWords,

  settings: {
    title: 'Realm settings',
    open: 'Realm settings',
    pace: 'Speed of scouts and scripts (the flag -pace overrides it)',
    paces: { watchable: 'Reading speed', instant: 'No delay' },
    mode: 'Wait for my approval',
    modes: {
      autonomous: 'Never',
      supervised: 'Before each stage',
      manual: 'Before each turn',
    },
    timeout: 'Time limit of an agent’s turn, in seconds (5 to 1800)',
    agents: 'Most agents in a stage and on the map (1 to 64)',
    chats: 'Agents may start councils',
    chatsText: 'Off: no council of two or more agents starts. Tasks and chats still do.',
    shadows: 'Show my coding agents at work in this folder',
    shadowsText: 'Off: their sessions are not read, and their heroes leave. What was read stays.',
    shared: 'Spectators see what my coding agents are told, say and do',
    sharedText:
      'On: everybody with the spectators’ link reads prompts, commands, outputs and edits, also earlier ones.',
    files: 'Spectators open the files of the linked folder',
    filesText: 'On: everybody with the spectators’ link reads every file that the map shows. Secrets are masked.',
    turns: 'Turns of a council, unless it says otherwise (1 to 100)',
    atOnce: 'Councils and tasks at once (1 to 32)',
    window: 'Newest messages that an agent is given of a talk (1 to 1000)',
    save: 'Save',
    close: 'Close',
    saving: 'Saving',
  },

  preferences: {
    title: 'Preferences',
    open: 'Preferences',
    text: 'For you in this browser. Changes take effect at once.',
    theme: 'Theme',
    themes: { system: 'As the system', dark: 'Dark', light: 'Light' },
  },

  head: {
    realms: 'Realms',
    map: 'Map',
  },

  refusal: {
    /** what: one of the texts in `of`; "" for a command without a text. */
    title: (what: string) => `Could not ${what || 'do that'}`,
    dismiss: 'Dismiss',
    dismissAll: (n: number) => `Dismiss all ${count(n)}`,
    of: {
      'player:link-repo': 'link the folder',
      'player:resume-realm': 'open the realm',
      'player:remove-realm': 'remove the realm',
      'player:start-process': 'start the process',
      'process:take-role': 'take the role',
      'player:dismiss-agent': 'free the role',
      'player:update-settings': 'change the settings',
      'player:command': 'run the command',
      'spectator:command': 'run the command',
      'chat.send': 'send the message',
      'chat.cancel': 'stop the answer',
      'conversation.start': 'start the conversation',
      'conversation.pause': 'pause the conversation',
      'conversation.resume': 'resume the conversation',
      'conversation.abort': 'end the conversation',
      'conversation.close': 'close the chat',
      'conversation.rename': 'rename the conversation',
      'team:set': 'set the team',
      'team:take-member': 'speak as another member',
      'skill:give': 'give the skill',
      'skill:open': 'open the skill',
      'team:list': 'list the teams',
      'history:erase': 'erase it',
      'player:list-realms': 'list the realms',
      'map:room': 'open the room',
      'player:navigate-enter': 'enter the room',
      'player:navigate-back': 'go back',
    } as Record<string, string>,
  },

  close: 'Close',
}
