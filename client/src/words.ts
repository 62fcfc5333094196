// All texts of the page except those that people and the server write. They are short, concrete and in the present
// tense. A button says what it does; an error says what happened, why, what to do and what is lost.
import type { TemplateInfo, Waiting } from './net/protocol.gen'
import { ago, count, plural } from './words-format'
import { findingWords, questWords } from './words-findings'
import { driverWords } from './words-driver'
import { erasureWords } from './words-erasure'
import { conversationWords } from './words-conversation'

export { ago, bytes, clock, count, day, join, moment, plural, title } from './words-format'

/** An agent's activity as a word; other activities of a driver are shown as they are. */
export function activityWord(activity: string | undefined): string {
  return activity === 'conversing' ? 'in a council' : activity === 'cooldown' ? 'cooling down' : (activity ?? '')
}

export const words = {
  game: 'Agent Dungeon',

  splash: {
    line: 'Your code is an old country. Light a lantern and see who is at work in it.',
    more:
      'Link a folder and have it reviewed, or hold a staged talk with people, a script or a model. Leave ' +
      'whenever you like: what a screen has shown is on disk.',
    begin: 'Enter',
  },

  boot: {
    connecting: 'Looking for the server',
    opening: 'Opening the realm',
    snapshot: 'Fetching the world',
    events: (n: string) => `${n} events are its history.`,
  },

  setup: {
    title: 'Where do we go?',
    chosen: 'The realm you came from goes on without you.',
    gone: (name: string) =>
      `The realm ${name} is not open on this server any more. What was saved is in the list below, unless ` +
      'somebody removed it.',
    back: (name: string) => `Back to ${name}`,
    analyzing: 'The server reads a folder for the first time. Its realm appears here when it is open.',

    you: 'You',
    name: 'Your name',
    nameHint: '1 to 40 characters. Everybody in the realm sees it.',
    nameMissing: 'Say a name first: 1 to 40 characters, no control characters.',
    color: 'Your colour',
    hue: (i: number) => `Colour ${i + 1}`,

    folder: 'Link a folder',
    folderText: 'A realm grows over a folder on the machine where the server runs. The folder is only read.',
    offer: 'Link this folder',
    path: 'Another folder on that machine, its whole path',
    pathHint: '/home/you/project',
    link: 'Link',
    pathMissing: 'Say which folder: its whole path on the server’s machine.',

    problem: 'Start a process',
    problemText: 'A process leads people or agents through stages to a written result.',
    problemLabel: 'What is it about?',
    problemHint: 'A sentence or a page: the problem, the question, the plan to take apart.',
    problemMissing: 'Say in a sentence what it is about.',
    template: 'How',
    stages: (n: number, roles: number) => `${plural(n, 'stage')}, ${plural(roles, 'role')}`,
    where: 'Where',
    here: (name: string) => `In ${name}`,
    offered: (path: string) => `In ${path}`,
    typed: 'In the folder typed above',
    nowhere: 'Without a folder',
    busy: (name: string) => `A process is on in ${name}: it has to end before another begins.`,
    start: 'Start the process',

    realms: 'Go on with a realm',
    noRealms: 'No realm yet. Link a folder or start from a problem, and it is kept here.',
    realmsLoading: 'Asking the server which realms there are',
    join: 'Join',
    resume: 'Resume',
    remove: 'Remove',
    removeAsk: (name: string) => `Remove ${name}?`,
    removeText:
      'Its transcripts, findings and artifacts are deleted for everybody and cannot be brought back. The ' +
      'linked folder is not touched.',
    removeYes: 'Remove for good',
    cancel: 'Keep it',
    open: 'open now',
    lastTime: 'you were here',
    lastExplored: (when: string) => `last explored ${when}`,
    noFolder: 'no folder',

    spectator: 'This link lets you look, register and speak. Linking folders and starting processes is for hosts.',
    nothingToWatch: 'Nothing is open on this server yet. This page shows it as soon as a host opens a realm.',
    looking: 'Just look at the map',

    scanning: (done: number, total: number) =>
      total > 0
        ? `Reading the folder: ${count(done)} of ${count(total)} files`
        : `Reading the folder: ${count(done)} files so far`,
    opening: (done: number, total: number) =>
      total > 0 ? `Opening the realm: ${count(done)} of ${count(total)}` : 'Opening the realm',
    working: 'Working on it',
    waits: 'Waits for the connection',
  },

  driver: driverWords,

  connection: {
    connecting: 'Connecting',
    lost: 'The connection to the server is lost. What you see stays; what you send waits here.',
    first: 'The server does not answer.',
    again: (seconds: number) => (seconds > 0 ? `Next try in ${plural(seconds, 'second')}.` : 'Trying now.'),
    now: 'Try now',
    attaching: 'Connected. Catching up.',
    elsewhere: 'This tab is open a second time, and the other one has the connection.',
    here: 'Go on here',
    notAllowed:
      'The server does not let this page in: the link’s token is missing or was changed. Open the link ' +
      'that the server prints when it starts.',
    badFrames:
      'The server closed the connection because this page sent what it could not read. Reload to go on; ' +
      'nothing that was saved is lost.',
    protocol: 'The server speaks another version than this page. Reload to get the page that fits.',
    unreadable: 'This page could not read what the server sent. Reload to go on; nothing that was saved is lost.',
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
    board: 'The findings are saved; their copy for other programs is not where it should be.',
    slowText: 'The disk answers slowly. What you send is shown once it is on disk.',
    failingText:
      'The disk does not take anything. What you send waits and is kept; free some space or check the ' +
      'disk on the server’s machine.',
    broken: 'This realm can only be read',
    brokenText:
      'Its journal does not hold what was saved. Restart the server to recover it; what is on the screen was saved.',
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
    clean: 'this realm begins anew, for its files were gone',
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
    dismiss: 'Put this line away',
  },

  tabs: {
    talk: 'Talk',
    findings: 'Findings',
    quests: 'Quests',
    artifacts: 'Artifacts',
    roster: 'Roster',
    label: 'Views of this realm',
  },

  stage: {
    label: 'Stage of the process',
    at: (i: number, n: number) => `STAGE ${i} / ${n}`,
    goal: 'Goal',
    more: 'More',
    less: 'Less',
    none: 'No process is on in this realm.',
    noneNext: 'Start one, or look around on the map.',
    noneHost: 'It begins when a host starts one.',
    start: 'Start a process',
    asked: (names: string) => `Asked: ${names}`,
    running: (names: string) => `At work: ${names}`,
    quiet: 'Nobody is at work',
    parallel: 'all at once, unseen by each other until the stage ends',
    signal: 'ends by a signal',
    attempt: (n: number) => `attempt ${n}`,
    paused: 'Paused',
    pausing: 'Pausing: the turns under way end first.',
    pausedText: 'No turn begins until you resume.',
    completed: 'Completed',
    result: 'Show the result',
    take: (name: string) => `Take the role ${name}`,
    resume: 'Resume',
    again: 'Try again',
    go: 'Let it begin',
    skip: 'Skip',
    restart: 'Restart the stage',
    pause: 'Pause',
    restartAsk: 'Restart this stage?',
    restartText: 'What has been said stays in the transcript and no longer counts for the stage.',
    cancel: 'Leave it',
    waitingSince: (at: string) => `since ${at}`,
    waiting: {
      role_open: 'Waits for somebody in a role',
      approval: 'Waits for you',
      turn_failed: 'A turn failed',
    } satisfies Record<Waiting['code'], string>,
  },

  roster: {
    title: 'Roster',
    open: 'open',
    you: 'you',
    take: 'Take the role',
    takeFrom: 'Play it yourself',
    leave: 'Leave the role',
    free: 'Free the role',
    doing: {
      open: 'nobody holds it',
      asked: 'is asked',
      running: 'at work',
      done: 'done for this stage',
      waiting: 'waits',
      idle: 'at rest',
    },
    yourTurn: 'your turn',
    turns: (n: number, of: number) => `${n} of ${of}`,
    players: { scout: 'scout', model: 'model', script: 'script', none: 'agent' } satisfies Record<
      TemplateInfo['driver'],
      string
    >,
    empty: 'The roster fills when a process starts or a party speaks.',
    others: 'Also here',
    people: 'People',
    here: (n: number) => (n === 1 ? 'One person here' : `${count(n)} people here`),
    more: (n: number) => `and ${count(n)} more`,
    spectator: 'spectator',
    host: 'host',
  },

  map: {
    label: 'Map',
    room: (name: string) => `Room ${name}`,
    root: 'Entrance hall',
    loading: 'Lighting the room',
    empty: 'An empty room.',
    doors: 'Doors',
    things: 'In this room',
    files: (n: number) => plural(n, 'file'),
    folders: (n: number) => plural(n, 'folder'),
    back: 'Back',
    up: (name: string) => `Up to ${name}`,
    page: (i: number, n: number) => `Page ${i} of ${n}`,
    next: 'Next page',
    previous: 'Page before',
    failed: 'The room could not be fetched.',
    again: 'Fetch again',
    missing: 'The linked folder is not there at the moment. This is what it held at the last look.',
    bare: 'A camp without a country',
    bareText: 'This realm has no folder: the talk happens around the fire. Link a folder from Realms to get a map.',
    kinds: { file: 'code', doc: 'document', config: 'configuration', test: 'test', link: 'link' } as Record<
      string,
      string
    >,
    scanned: (files: number, folders: number) => `${plural(files, 'file')} in ${plural(folders, 'folder')}`,
    standing: (name: string) => `${name} stands here`,
    tree: 'Rooms',
    forms: 'How the map is shown',
    drawn: 'Map',
    list: 'List',
    notDrawn: 'This browser could not draw the map; the list shows the same.',
    drawnLabel: (name: string) =>
      `Map of ${name}: arrow keys move, plus and minus zoom, Escape goes out. The list shows the same as text.`,
    country: 'Country',
    closer: 'Closer',
    further: 'Further away',
    minimap: 'The whole country; a click goes there',
    card: 'What is known',
    changedAt: (what: string, at: string) =>
      `${what === 'created' || what === 'renamed' ? what : 'changed'} ${ago(at, Date.now())}`,
    committed: 'committed as it is',
    uncommitted: 'not committed',
    uncommittedBelow: (n: number) => `${plural(n, 'file')} not committed below`,
    touched: (at: string, commits: number) =>
      `last commit ${ago(at, Date.now())}${commits > 0 ? `, ${plural(commits, 'commit')} known under this name` : ''}`,
    gone: 'It is not there any more.',
    left: 'This hero has left.',
    found: (n: number) => (n === 0 ? 'no findings yet' : plural(n, 'finding')),
    learned: 'Learned',
    follow: 'Follow',
    goThere: 'Go there',
    reads: (path: string) => `reads ${path}`,
    heroes: 'Heroes',
    outside: 'out in the country',
    within: (path: string) => `in ${path}`,
    keep: 'the keep',
    fortOf: (name: string) => `Camp of ${name}`,
    fortStages: [
      'A campfire: its hero has joined',
      'A tent: its hero has arrived',
      'A hut: a first finding',
      'A tower: three findings',
      'A fort: a stage is done',
    ],
    biome: (name: string) => `Land: ${name}`,
    moment: (kind: string, text: string) =>
      (
        ({
          commit: `Committed: ${text}`,
          switch: `Now on ${text}`,
          away: 'The linked folder has gone; the last map is shown',
          back: 'The linked folder is there again',
          scan: 'The whole folder was read again',
        }) as Record<string, string>
      )[kind] ?? `${kind} ${text}`,
    happened: (path: string, what: string) => `${path} ${what}`,
    alsoHappened: (n: number) => `and ${plural(n, 'more change')}`,
    flags: (n: number) => plural(n, 'finding'),
  },

  transcript: {
    label: 'Transcript',
    empty: 'Nothing has been said yet.',
    emptyNext: 'Take a role in the roster; whoever is asked speaks first.',
    emptyNoProcess: 'Nobody has said anything in passing. Speak below, or begin a talk with New.',
    older: 'Fetching older messages',
    olderKept: 'There are older messages on the server. The search finds them.',
    picture: (name: string) => `Picture: ${name}`,
    checked: 'done',
    unchecked: 'to do',
    newest: 'To the newest',
    streaming: 'is writing',
    streamed: (n: number) => `${count(n)} characters so far`,
    status: {
      open: 'not closed yet',
      done: '',
      cancelled: 'cancelled',
      interrupted: 'cut off when the server stopped',
      error: 'ended by an error',
    },
    nothing: 'Nothing had been said.',
    damaged: 'This message was damaged on the server’s disk. It may differ from what was said.',
    damagedLost: 'The text of this message was damaged on the server’s disk and cannot be read.',
    lost: 'What streamed here is lost: the server stopped before it was saved.',
    all: (n: number) => `Show all ${count(n)} characters`,
    part: 'Show more',
    fold: 'Fold',
    copied: 'Copied',
    notCopied: 'This browser does not allow copying. Select the text and copy it by hand.',
    announced: (name: string, text: string) => `${name}: ${text}`,
    bystander: 'spectator',
    system: 'the realm',
    waiting: 'waits for the connection',
    sent: 'waits for the server',
    held: 'waits for the disk',
    refused: 'was not taken',
    takeBack: 'Take it back',
    putBack: 'Put it back into the prompt',
    discard: 'Discard',
    otherRealm: (n: number) =>
      `${plural(n, 'command')} for another realm ${n === 1 ? 'waits' : 'wait'} until you go back there.`,
    stage: (name: string) => name,
  },

  conversation: conversationWords,
  erasure: erasureWords,

  note: {
    started: (name: string, problem: string) => `${name} begins: ${problem}`,
    restarted: (name: string, n: number) => `${name} begins again (attempt ${n}).`,
    pausing: 'A pause was asked for; the turns under way end first.',
    paused: (reason: string) => (reason ? `Paused: ${reason}` : 'Paused.'),
    resumed: 'The process goes on.',
    sealed: (name: string, summary: string) =>
      summary ? `${name} seals the stage: ${summary}` : `${name} seals the stage.`,
    completed: (n: number) =>
      n === 0 ? 'The process is completed.' : `The process is completed with ${plural(n, 'artifact')}.`,
    skipped: (names: string) => `Passed: ${names}.`,
    error: (message: string) => `Something went wrong: ${message}`,
    taken: (name: string, who: string) => `${who} takes the role ${name}.`,
    agent: (name: string) => `A driver plays ${name} from now on.`,
    freed: (name: string) => `The role ${name} is open.`,
    settings: 'The settings were changed.',
    said: (who: string, text: string) => `${who}: ${text}`,
    failed: (who: string, message: string) => `${who}’s turn failed: ${message}`,
    cancelled: {
      person: (who: string) => `${who}’s turn was cancelled.`,
      new_message: (who: string) => `${who}’s turn gave way to a new message.`,
      interrupted: (who: string) => `${who}’s turn was cut off when the server stopped.`,
      skipped: (who: string) => `${who}’s turn was passed.`,
      stage: (who: string) => `${who}’s turn ended with the stage.`,
      dismissed: (who: string) => `${who} left during the turn.`,
    },
    somebody: 'somebody',
  },

  prompt: {
    label: 'Say something or give a command',
    idle: 'Speak, or / for commands',
    speak: 'Speak',
    focus: (name: string) => `Speak to ${name}, or /focus for all`,
    turn: (name: string) => `Answer as ${name}`,
    yourTurn: (name: string) => `Your turn as ${name}`,
    turns: 'You are asked in several roles. Choose which one answers.',
    answerAs: 'Answer as',
    read: 'What you are asked',
    whole: 'Read it whole',
    less: 'Read less',
    goal: (goal: string) => `The goal of this stage: ${goal}`,
    pass: 'Pass',
    send: 'Send',
    tooLarge: 'This is too long for one message (64 KB). It is kept here; shorten it or send it in parts.',
    tooMany: 'A hundred commands are waiting already. This one is kept here; send it when some have gone out.',
    empty: 'Write something first.',
    menu: 'Commands',
    until: (at: string) => `until ${at}`,
    noSocket: 'Not connected: what you send waits here.',
    spectator: 'You speak as a spectator.',
  },

  commands: {
    '/pause': 'end the turns under way, then wait',
    '/resume': 'go on, approve what waits, or try a failed turn again',
    '/skip': 'pass the turn that is asked or waited for',
    '/restart': 'take this stage again from its beginning',
    '/mode': 'autonomous, supervised or manual: when to wait for you',
    '/summon': 'let a driver play an open role',
    '/dismiss': 'free a role',
    '/ask': 'ask one member that something plays a question',
    '/focus': 'speak to one member from now on, or to all',
    '/export': 'take the report along: markdown, svg (the map), json or sarif',
    '/quest': 'take a piece of work and see it through',
    '/help': 'what each command does',
  },

  findings: findingWords,
  quests: questWords,

  export: {
    label: 'Export',
    formats: { markdown: 'Markdown', svg: 'Map', json: 'JSON', sarif: 'SARIF' },
    hints: {
      markdown: 'The report as a text to read',
      svg: 'The map as a picture (SVG)',
      json: 'The findings and quests, for a program',
      sarif: 'The findings, for editors and code hosts',
    },
  },

  artifacts: {
    title: 'Artifacts',
    ofStages: 'What the stages left',
    empty: 'No artifacts yet.',
    emptyNext: 'A stage leaves them behind when it ends.',
    by: (name: string) => `by ${name}`,
    cut: 'Shortened; the transcript has the whole text.',
    copy: 'Copy',
    open: 'Read it whole',
    close: 'Fold',
    none: 'No text.',
  },

  completion: {
    title: 'The process is completed',
    text: (n: number, findings: number) => `${plural(n, 'artifact')}, ${plural(findings, 'finding')}.`,
    reading: 'Keep reading',
    copy: 'Copy as Markdown',
    again: 'New process',
    problem: 'Problem',
  },

  settings: {
    title: 'Settings of this realm',
    open: 'Settings',
    pace: 'Pace of scouts and scripts (the flag -pace counts more)',
    paces: { watchable: 'watchable: at reading speed', instant: 'instant: as it comes' },
    mode: 'When to wait for you',
    modes: {
      autonomous: 'autonomous: never',
      supervised: 'supervised: before each stage',
      manual: 'manual: before each turn',
    },
    timeout: 'Seconds for a turn of an agent (5 to 1800)',
    agents: 'Agents in a stage, and members on the map (1 to 64)',
    chats: 'Agents may talk with each other',
    chatsText: 'Off: no council of two or more agents begins. Tasks and chats go on.',
    turns: 'Turns of a council, unless it says otherwise (1 to 100)',
    atOnce: 'Councils and tasks at once (1 to 32)',
    window: 'Newest messages of a council or a chat that an agent is told (1 to 1000)',
    save: 'Save',
    close: 'Close',
    saving: 'Saving',
  },

  head: {
    realms: 'Realms',
    people: 'People here',
    menu: 'Menu',
    map: 'Map',
  },

  refusal: {
    title: (what: string) => `${what} was not done`,
    dismiss: 'Put this away',
    of: {
      'player:link-repo': 'Linking the folder',
      'player:resume-realm': 'Resuming the realm',
      'player:remove-realm': 'Removing the realm',
      'player:start-process': 'Starting the process',
      'process:take-role': 'Taking the role',
      'player:dismiss-agent': 'Freeing the role',
      'player:update-settings': 'Changing the settings',
      'player:command': 'The command',
      'spectator:command': 'The command',
      'chat.send': 'The message',
      'chat.cancel': 'Stopping the answer',
      'conversation.start': 'Starting the conversation',
      'conversation.pause': 'Pausing',
      'conversation.resume': 'Going on',
      'conversation.abort': 'Ending the conversation',
      'conversation.close': 'Closing the chat',
      'conversation.rename': 'Renaming',
      'team:set': 'Setting the team',
      'team:take-member': 'Speaking as another',
      'skill:give': 'Giving the skill',
      'skill:open': 'Opening the skill',
      'team:list': 'Listing the teams',
      'history:erase': 'Erasing',
      'player:list-realms': 'Listing the realms',
      'map:room': 'Opening the room',
      'player:navigate-enter': 'Going into the room',
      'player:navigate-back': 'Going back',
    } as Record<string, string>,
  },

  close: 'Close',
}
