// Everything the page knows from the server. One value, replaced by reduce();
// what stands here was shown by the server, except streams, which are provisional.
import type {
  CommandReply,
  ErrorFrame,
  EventFrame,
  FileChange,
  AgentDetails,
  ConversationInfo,
  MapChange,
  MapChanged,
  Message,
  Overtaken,
  Place,
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
  TeamReady,
  Welcome,
  World,
} from '../net/protocol.gen'
import type { Face } from './faces'
import type { Streams, Views } from './views'

/** One quiet line between the rows of a transcript: it stands after a row. */
export interface Note {
  id: number
  /** The last row of the process's transcript when it came, null at the top. */
  after: string | null
  what:
    { kind: 'event'; event: EventFrame } | { kind: 'reply'; reply: CommandReply } | { kind: 'error'; error: ErrorFrame }
}

/** What realm:restored said, with what the world held at that moment. */
export interface Restored {
  event: RealmRestored
  stageIndex: number
  stages: number
  findings: number
  /** When what there is was last changed before; null where that is not known. */
  savedAt: string | null
  process: World['processState']['status']
}

/** What is known of a team's session beside its rows. */
export interface SessionNotice {
  restored: SessionRestored | null
  warning: SessionWarning | null
  /** It came to rest and all of it is on disk; false again once something is said. */
  saved: boolean
}

/** Rows of a conversation that are read by themselves: those of a stage, or around a row that was found. */
export interface Page {
  conversationId: string
  /** "" where they are of no stage in particular. */
  stageId: string
  rows: readonly Message[]
  hasMore: boolean
}

/** The realm that this socket watches. */
export interface RealmModel {
  id: string
  /** With world.tick, the position from which a reconnect goes on. */
  epoch: string
  world: World
  /** Who stands in the realm, as panels name and colour them. */
  faces: readonly Face[]
  views: Views
  streams: Streams
  /** From where on a view has every row, by conversation. */
  reach: Readonly<Record<string, number>>
  /** Conversations that the server has listed, shown or not. */
  heads: Readonly<Record<string, ConversationInfo>>
  /** Whether the server has more to list; null before it has been asked. */
  moreHeads: boolean | null
  page: Page | null
  /** The last conversation that began, and the command that asked for it. */
  begun: { conversationId: string; requestId: string } | null
  /** Somebody spoke before this page's words: said once. */
  overtaken: Overtaken | null
  /** Sessions of parties, by conversation. */
  sessions: Readonly<Record<string, SessionNotice>>
  /** The teams and their sessions as they were last listed; null before they were asked for. */
  teams: TeamListed['teams'] | null
  /** The last team that was set. */
  ready: TeamReady | null
  /** Skills that were opened, the newest MAX_OPENED. */
  opened: Readonly<Record<string, SkillOpened['files']>>
  /** What the last erasure that this page asked for led to. */
  receipt: Receipt | null
  mapGeneration: number
  notes: readonly Note[]
  restored: Restored | null
  /** What drivers think aloud, by agent; gone when the run ends. */
  thoughts: Readonly<Record<string, string>>
  /** Pages of rooms by roomKey, the newest MAX_ROOMS. */
  rooms: Readonly<Record<string, MapChange>>
  /** What was asked of members, the newest answer by id. */
  details: Readonly<Record<string, AgentDetails>>
  /** Folders whose kept pages are older than the folder: they are asked for again where they are shown. */
  stale: ReadonlySet<string>
  /** Where agents that were on their way stood at the last attach; a new walk takes its agent out. */
  places: Readonly<Record<string, Place>>
  /** How often this page has attached: what moves is told anew each time. */
  attached: number
  /** What happened on disk since this page is open, newest last. */
  changes: readonly FileChange[]
  /** The last map:changed with a moment (a commit, another branch, the folder away). */
  moment: MapChanged | null
}

export interface Model {
  server: ServerInfo | null
  /** The last answer to a hello, or the head of a switch; null before the first. */
  welcome: Welcome | null
  me: SpectatorWelcome | null
  realm: RealmModel | null
  spectators: { count: number; list: readonly Spectator[] }
  save: SaveStatus | null
  realms: RealmList | null
  progress: RealmProgress | null
}

/** Notes kept; the oldest go. */
export const MAX_NOTES = 200

/** File changes kept; the oldest go. */
export const MAX_CHANGES = 200

/** Pages of rooms kept; those that came first go. */
export const MAX_ROOMS = 64

/** Skills whose files are kept. */
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
