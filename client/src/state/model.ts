// The page's state. It is one value, replaced by reduce(). Everything in it was sent by the server; only streams are
// provisional.
import type {
  CommandReply,
  ErrorFrame,
  EventFrame,
  FileChange,
  Left,
  AgentDetails,
  ConversationInfo,
  MapChange,
  MapChanged,
  Message,
  Overtaken,
  Place,
  ProcessProgress,
  Receipt,
  RealmList,
  RealmProgress,
  RealmRestored,
  SaveStatus,
  ServerInfo,
  SessionRestored,
  SessionWarning,
  SkillOpened,
  Spectator,
  SpectatorWelcome,
  TeamListed,
  SessionsListed,
  TeamReady,
  Welcome,
  World,
} from '../net/protocol.gen'
import type { AgentLabel } from './agent-labels'
import type { Streams, Views } from './views'

/** A line between the rows of a transcript. */
export interface Note {
  id: number
  /** The conversation that shows the note; "" outside of any conversation. */
  conversationId: string
  /** The messageId of the last row of that conversation when the note was added; null for none. */
  after: string | null
  what:
    { kind: 'event'; event: EventFrame } | { kind: 'reply'; reply: CommandReply } | { kind: 'error'; error: ErrorFrame }
}

/** A realm:restored event, with figures of the world at the time of the event. */
export interface Restored {
  event: RealmRestored
  stageIndex: number
  stages: number
  findings: number
  /** When the realm last changed before the restart; null if unknown. */
  savedAt: string | null
  process: World['processState']['status']
}

/** What the page knows about a session of a party in addition to its rows. */
export interface SessionNotice {
  restored: SessionRestored | null
  warning: SessionWarning | null
  /**
   * Whether the session is paused and the disk has all of it. A turn that begins and a message that is added set
   * saved to false.
   */
  saved: boolean
}

/** Rows that are shown apart from the newest rows: the rows of a stage, or the rows around a search hit. */
export interface Page {
  conversationId: string
  /** The stage of the rows; "" if the rows are not limited to a stage. */
  stageId: string
  rows: readonly Message[]
  hasMore: boolean
}

/** The realm that this socket watches. */
export interface RealmModel {
  id: string
  /**
   * The id of the server's current opening of the realm. A reconnect continues from the position (epoch,
   * world.tick).
   */
  epoch: string
  world: World
  /** Names and colours of agents, for panels. */
  agentLabels: readonly AgentLabel[]
  views: Views
  streams: Streams
  /** By conversationId: the seq from which on the page has every row of the conversation. */
  completeFrom: Readonly<Record<string, number>>
  /** The conversations of the list, without their rows, by id. */
  heads: Readonly<Record<string, ConversationInfo>>
  /** Whether the server has more conversations than it has listed; null if the page has to ask for the list. */
  moreHeads: boolean | null
  page: Page | null
  /** The last conversation that started, and the requestId of the command that started it. */
  begun: { conversationId: string; requestId: string } | null
  /** The notice that another person's message arrived before the message of this page; null for none. */
  overtaken: Overtaken | null
  /** The notices of sessions of parties, by conversationId. */
  sessionNotices: Readonly<Record<string, SessionNotice>>
  /** The teams and their sessions as the server last listed them; null if the page has to ask for the list. */
  teams: TeamListed['teams'] | null
  /** The sessions of coding agents as the server last listed them; null if the page has not asked. */
  listed: SessionsListed['sessions'] | null
  /** The programs of coding agents as the server last listed them; null if the page has not asked. */
  programs: SessionsListed['programs'] | null
  /** The last event team:ready. */
  ready: TeamReady | null
  /** The files of the last MAX_OPENED opened skills. */
  opened: Readonly<Record<string, SkillOpened['files']>>
  /** The receipt of the last erasure that this page asked for. */
  receipt: Receipt | null
  mapGeneration: number
  notes: readonly Note[]
  restored: Restored | null
  /** The last thought that each agent has reported, by agent; removed when the agent's run ends. */
  thoughts: Readonly<Record<string, string>>
  /** How many files the agents of the process have read; null before they read for long in this stage. */
  reading: ProcessProgress | null
  /** The rooms, or parts of large rooms, by roomKey; the newest MAX_ROOMS. */
  rooms: Readonly<Record<string, MapChange>>
  /** Details of members, by id. */
  details: Readonly<Record<string, AgentDetails>>
  /** Folders whose pages are outdated; they are asked for again when they are shown. */
  stale: ReadonlySet<string>
  /**
   * The positions of walking agents when the page last began to watch the realm. When an agent begins a new walk,
   * its position is removed.
   */
  places: Readonly<Record<string, Place>>
  /** How often this page has begun to watch the realm, reconnects included. */
  attached: number
  /** Changes on disk since the page was opened, newest last. */
  changes: readonly FileChange[]
  /** The last map:changed frame whose field moment is set: a commit, a change of branch, or the folder missing. */
  moment: MapChanged | null
}

export interface Model {
  server: ServerInfo | null
  /**
   * The server's last welcome: its answer to a hello, or the beginning of a switch to another realm. null before
   * the first one.
   */
  welcome: Welcome | null
  me: SpectatorWelcome | null
  realm: RealmModel | null
  /**
   * unnamed: the number of connections that watch without a name, also this page's own. left: the holders of roles
   * who have left, as far as the server knows since when.
   */
  spectators: { count: number; unnamed?: number; list: readonly Spectator[]; left?: readonly Left[] }
  save: SaveStatus | null
  realms: RealmList | null
  progress: RealmProgress | null
}

/** The maximum number of notes that are kept; the oldest are dropped. */
export const MAX_NOTES = 200

/** The maximum number of file changes that are kept; the oldest are dropped. */
export const MAX_CHANGES = 200

/** The maximum number of rooms that are kept; of a large room each part that the server sent counts. The oldest go. */
export const MAX_ROOMS = 64

/** The maximum number of skills whose files are kept. */
export const MAX_OPENED = 8

export const EMPTY: Model = {
  server: null,
  welcome: null,
  me: null,
  realm: null,
  spectators: { count: 0, list: [] },
  save: null,
  realms: null,
  progress: null,
}

export function roomKey(path: string, page: number): string {
  return `${page}:${path}`
}
