// Generated from shared/schema.json by "make generate". Do not edit.
/* eslint-disable */

/**
 * The wire contract of Agent Dungeon. Generated from shared/wire and shared/world by scripts/schema; do not edit.
 */
export type Frame = ServerFrame | ClientFrame | Answer
/**
 * Whatever the server sends.
 */
export type ServerFrame =
  | EventFrame
  | ServerInfo
  | Welcome
  | WorldState
  | Overlays
  | SpectatorWelcome
  | SpectatorList
  | RealmList
  | RealmProgress
  | RealmRemoved
  | ProcessTurn
  | AgentThought
  | ProcessProgress
  | ChatDelta
  | AgentDetails
  | MapChange
  | MapChanged
  | SaveStatus
  | CommandReply
  | ChatRepeated
  | Snapshot
  | ConversationListed
  | Overtaken
  | TeamListed
  | SessionSaved
  | SkillOpened
  | Erased
  | SessionsListed
  | ErrorFrame
/**
 * A durable event: the same bytes for everyone, live and replayed. Seq counts from 1 without a hole, at never goes back, v is the version of the fields (1 where absent), requestId the command or run it belongs to.
 */
export type EventFrame =
  | AgentActivity
  | AgentGoes
  | AgentJoined
  | AgentLeft
  | AgentStated
  | ArtifactSaved
  | SegmentClosed
  | SegmentStarted
  | ChatCancelled
  | ChatDone
  | ChatError
  | ChatStarted
  | CollisionCleared
  | CollisionFound
  | ConversationRenamed
  | ConversationStarted
  | ConversationStatus
  | ConversationTeam
  | DoorClosed
  | DoorOpened
  | EventWithheld
  | FilesTouched
  | FindingPosted
  | FindingWithdrawn
  | FocusChanged
  | ForgeStepped
  | FortUpdate
  | HistoryErased
  | KnowledgeUpdated
  | MessageAdded
  | NavigationChanged
  | PartyUpdated
  | ProcessCast
  | ProcessCompleted
  | ProcessError
  | ProcessPaused
  | ProcessPausing
  | ProcessResumed
  | ProcessSealed
  | ProcessSkipped
  | ProcessAdvanced
  | ProcessStageRestarted
  | ProcessStarted
  | ProcessWaiting
  | QuestUpdate
  | RealmCreated
  | RealmRestored
  | SessionRead
  | SessionRestored
  | SessionWarning
  | SettingsUpdated
  | SkillRemoved
  | SkillUpdated
  | SpectatorCommand
  | TeamReady
  | ToolEnd
  | ToolOutput
  | ToolStart
  | UsageChanged
  | WordTold
  | WordMoved
/**
 * Point is a tile as [x, y]. [0, 0] is the top left corner.
 *
 * @minItems 2
 * @maxItems 2
 */
export type Point = [number, number]
/**
 * Whatever a client sends. A requestId comes back in replies and errors and makes resending safe.
 */
export type ClientFrame =
  | Hello
  | Register
  | ListRealms
  | LinkRepo
  | ResumeRealm
  | RemoveRealm
  | StartProcess
  | TakeRole
  | PlayerCommand
  | UpdateSettings
  | DismissAgent
  | SpectatorSay
  | ChatSend
  | ChatCancel
  | ConversationStart
  | ConversationOpen
  | ConversationList
  | ConversationAbort
  | ConversationResume
  | ConversationPause
  | ConversationRename
  | ConversationClose
  | TeamList
  | TeamSet
  | TeamTakeMember
  | SkillOpen
  | SkillGive
  | HistoryErase
  | GetAgentDetails
  | MapRoom
  | NavigateEnter
  | NavigateBack
  | DoorAnswer
  | AgentTell
  | AgentStop
  | SessionList
  | FileOpen
/**
 * Whatever a route below /api answers with as JSON, as far as its shape is defined here.
 */
export type Answer = FileText | FilePast | FilesFound | FindingAccepted | FindingsAccepted | Share | Preview

/**
 * AgentActivity sets a member's activity: ActivityReading and so on, "" for none.
 */
export interface AgentActivity {
  type: 'agent:activity'
  seq: number
  at: string
  v?: number
  requestId?: string
  agentId: string
  activity: string
  tool?: string
  conversationId?: string
}
/**
 * AgentGoes is a whole walk. Apply moves the agent to the end of the walk at once; the page shows it tile by tile (P10.9). Worn lists the tiles whose wear the walk changes; Wear has their new values.
 */
export interface AgentGoes {
  type: 'agent:goes'
  seq: number
  at: string
  v?: number
  requestId?: string
  agentId: string
  path: Point[]
  startsAt: string | null
  msPerTile: number
  revealed: Point[]
  worn: Point[]
  wear: number[]
  /**
   * Room lists the tiles of the walk that are in the room of Folder.
   */
  room: Point[]
  /**
   * Folder, Inside, Page, X and Y are the position at the end; see Agent.
   */
  realm: string
  inside?: boolean
  page?: number
  x: number
  y: number
  arrivesAt: string | null
  target?: string
  /**
   * First is set if no hero has entered the room of Folder before.
   */
  first?: boolean
  /**
   * Stack lists the rooms that the agent has passed since it left the overworld, the last one last: at most the newest MaxHeroStack. It is empty if the walk ends on the overworld.
   */
  stack?: string[]
}
/**
 * AgentJoined puts a member on the map, or replaces the agent with the same id.
 */
export interface AgentJoined {
  type: 'agent:joined'
  seq: number
  at: string
  v?: number
  requestId?: string
  agent: Agent
}
/**
 * Agent is a member on the map, played by a driver or a person. ID is the member id (in a process the role id); it stays the same across restarts, unlike the member's Instance.
 */
export interface Agent {
  id: string
  name: string
  displayName: string
  /**
   * KindHuman, KindAgent
   */
  kind: 'human' | 'agent'
  role: string
  color: string
  status: 'idle' | 'running'
  activity?: string
  /**
   * X, Y is the agent's tile at the end of Walk. If Inside is set, the tile is on the page Page of the room of Folder. Otherwise it is on the overworld, and Folder is "".
   */
  x: number
  y: number
  realm: string
  inside?: boolean
  page?: number
  walk?: Walk
  spectatorId?: string
  state?: AgentState
}
/**
 * Walk is a member's newest walk: on the overworld along Path, then in the room of Agent.Folder along Room. Both lists have every tile from start to end; consecutive tiles touch at a side or a corner.
 */
export interface Walk {
  path: Point[]
  room: Point[]
  startsAt: string | null
  msPerTile: number
  arrivesAt: string | null
  /**
   * path of the file or folder that the walk leads to, in wire form
   */
  target?: string
}
/**
 * State is set for a coding agent that a person runs. Events replace the struct and never modify it.
 */
export interface AgentState {
  /**
   * one of StateWorking and so on
   */
  state: string
  /**
   * what an agent that is StateWaiting waits for: one of WaitPermission and so on
   */
  wait?: string
  /**
   * Reason is a short text such as "Bash: touch x", "" for none. Spectators do not get it.
   */
  reason?: string
  /**
   * how the state is known: one of SourceStatus and so on
   */
  source: string
  since: string | null
  /**
   * Path is the file or folder of the newest tool call that ended without an error, relative to the linked folder; "" for none. Edits is set if the call edited it. Journals of older versions also have the files of other calls.
   */
  path?: string
  edits?: boolean
  /**
   * TestsFailed is the time of the agent's newest test run whose outcome is known, if it has failed; absent if it has passed, or if there was none.
   */
  testsFailed?: string
}
/**
 * AgentLeft removes a member from the map.
 */
export interface AgentLeft {
  type: 'agent:left'
  seq: number
  at: string
  v?: number
  requestId?: string
  agentId: string
  reason: string
}
/**
 * AgentStated sets the state of a coding agent that a person runs. ConversationID is the conversation of its session.
 */
export interface AgentStated {
  type: 'agent:state'
  seq: number
  at: string
  v?: number
  requestId?: string
  agentId: string
  conversationId: string
  /**
   * one of StateWorking and so on
   */
  state: string
  /**
   * what an agent that is StateWaiting waits for: one of WaitPermission and so on
   */
  wait?: string
  /**
   * Reason is a short text such as "Bash: touch x", "" for none. Spectators do not get it.
   */
  reason?: string
  /**
   * how the state is known: one of SourceStatus and so on
   */
  source: string
  since: string | null
  /**
   * Path is the file or folder of the newest tool call that ended without an error, relative to the linked folder; "" for none. Edits is set if the call edited it. Journals of older versions also have the files of other calls.
   */
  path?: string
  edits?: boolean
  /**
   * TestsFailed is the time of the agent's newest test run whose outcome is known, if it has failed; absent if it has passed, or if there was none.
   */
  testsFailed?: string
}
/**
 * ArtifactSaved adds or replaces an artifact, also in ProcessState.CollectedArtifacts.
 */
export interface ArtifactSaved {
  type: 'artifact:saved'
  seq: number
  at: string
  v?: number
  requestId?: string
  artifact: Artifact
}
/**
 * Artifact is a named text that a stage produces. Prompts of later stages include it. Text holds at most MaxArtifactText bytes; if Cut, the transcript has the whole text. Coverage is what a review has read, nil if the artifact does not say that.
 */
export interface Artifact {
  id: string
  name: string
  stageId: string
  agentId: string
  text: string
  cut?: boolean
  at: string
  coverage?: Coverage
  /**
   * Attempt is the attempt of the stage that produced the artifact, 0 in worlds of older versions.
   */
  attempt?: number
  /**
   * ProcessID is the conversation of the process that produced the artifact, "" in worlds of older versions.
   */
  processId?: string
}
/**
 * Coverage says which parts of a repository a review has read, and how. A report shows it first, because no check finds anything in a file that was not read. In an artifact it has at most MaxArtifactText bytes of JSON.
 */
export interface Coverage {
  /**
   * Languages has the languages of the repository: first programming languages, then the others, each group with the language of the most lines first. Files of no known language are those of the language "".
   */
  languages: Covered[]
  /**
   * General has the kinds of problems that checks look for in names, sizes or text of any language.
   */
  general: string[]
  /**
   * Limits has sentences about the parts that the review has left out because of a limit.
   */
  limits?: string[]
  /**
   * Root is the file that stands for the whole repository: a README or a manifest. It is "" if there is no file.
   */
  root?: string
}
/**
 * Covered says how the files in one language were read. The project's own files are in one of three groups: for those in Parsed, the checks in Trees read the syntax trees that they need; for those in Matched, checks read the text; those in Unread were not read, because they are too large, a link or not UTF-8, and their lines are not counted. Foreign are third-party or generated files, in which no finding is expected.
 */
export interface Covered {
  language: string
  /**
   * set if programs are written in the language
   */
  code: boolean
  parsed: Amount
  matched: Amount
  unread: Amount
  foreign: Amount
  /**
   * Trees has the kinds of problems that checks look for in the syntax trees of the language, Texts those that they look for in its text.
   */
  trees: string[]
  texts: string[]
}
/**
 * Amount is a number of files and of their lines.
 */
export interface Amount {
  files: number
  lines?: number
}
/**
 * SegmentClosed closes a segment. Message holds the whole text of the segment, which replaces all deltas.
 */
export interface SegmentClosed {
  type: 'assistant.segment.closed'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  message: Message
  reason: 'tool' | 'system' | 'done' | 'error' | 'cancel' | 'interrupt'
}
/**
 * Message is a row of a transcript. While Status is MessageOpen, Content is empty or, in the row of a tool, the output so far. The event that closes the row replaces Content.
 */
export interface Message {
  messageId: string
  conversationId: string
  requestId?: string
  role: 'user' | 'assistant' | 'tool' | 'system'
  memberId: string
  name: string
  stageId?: string
  content: string
  status: 'open' | 'done' | 'cancelled' | 'interrupted' | 'error'
  at: string
  /**
   * SpectatorID is the person who wrote the row, "" for rows of agents, tools and the server.
   */
  spectatorId?: string
  tool?: ToolUse
  /**
   * Seq is the seq of the event that inserted the row. Events do not carry it.
   */
  seq?: number
  /**
   * Damaged is set if the checksum of the stored row is wrong. Content is then what can be read, possibly "". Events do not carry it.
   */
  damaged?: boolean
}
/**
 * ToolUse is the tool call of a row with RoleTool, whose Content is the result. The row's Status is MessageOpen while the tool runs, then MessageDone, MessageError if it failed, or MessageInterrupted if the outcome is unknown because the server died during the call.
 */
export interface ToolUse {
  name: string
  /**
   * at most MaxToolInput bytes
   */
  input: string
  /**
   * CallID is the driver's id of the call, "" for none.
   */
  callId?: string
  /**
   * Reads is set if the tool only reads, so that the call can be repeated without asking a person.
   */
  reads?: boolean
  /**
   * Withheld is set if the output is not stored, because git ignores a file that the call names (P17.9).
   */
  withheld?: boolean
  /**
   * Files has the known files below the linked folder that the call reads or edits: at most MaxToolFiles.
   */
  files?: ToolFile[]
  /**
   * Cut is set if Content is only the beginning of the output. A conversation.open for this row alone returns the whole output.
   */
  cut?: boolean
  /**
   * Refused is set if a person refused the call, so that it did not run. The row's Status is MessageError then.
   */
  refused?: boolean
  /**
   * Tests says how the tests ended that the call has run: one of TestsPassed and so on, "" if it ran none.
   */
  tests?: string
}
/**
 * ToolFile is a file that a tool call of a coding agent reads or edits.
 */
export interface ToolFile {
  /**
   * relative to the linked folder, at most MaxTouchedPath bytes
   */
  path: string
  edits?: boolean
  /**
   * the other worktree in which the file lies; see FileTouch
   */
  worktree?: string
}
/**
 * SegmentStarted inserts an open, empty assistant row.
 */
export interface SegmentStarted {
  type: 'assistant.segment.started'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  messageId: string
  memberId: string
  name: string
  stageId?: string
}
/**
 * ChatCancelled ends a run that was stopped.
 */
export interface ChatCancelled {
  type: 'chat.cancelled'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  memberId: string
  reason: 'person' | 'new_message' | 'interrupted' | 'skipped' | 'stage' | 'dismissed'
}
/**
 * ChatDone ends a run successfully. Turn is set if the run was a turn of a plan.
 */
export interface ChatDone {
  type: 'chat.done'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  memberId: string
  turn?: TurnDone
}
/**
 * TurnDone is a turn that has ended, with the numbers of turns that now count in its stage and for its member.
 */
export interface TurnDone {
  stageId: string
  roleId: string
  /**
   * World.ProcessState.StageAttempt
   */
  attempt: number
  /**
   * number of the role's turn in this attempt, from 1
   */
  n: number
  stageTurns: number
  memberTurns: number
}
/**
 * ChatError ends a run that failed. Code is one of the codes below or a code of the driver.
 */
export interface ChatError {
  type: 'chat.error'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  memberId: string
  code: string
  message: string
}
/**
 * ChatStarted begins a run. Message is the row of the person's message that began the run, nil if no message did. Turn is the turn of a plan that the run plays, nil for none. Status is RunDone if the message needs no answer; ChatDone follows immediately.
 */
export interface ChatStarted {
  type: 'chat.started'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  memberId: string
  instance?: string
  status: 'running' | 'done' | 'error' | 'cancelled' | 'interrupted' | 'timeout'
  message?: Message
  turn?: Turn
  /**
   * the model that answers; see Run.Model
   */
  model?: string
}
/**
 * Turn identifies a turn of a plan. In a process, StageID is the stage of the turn. In a council, StageID is StageRounds; in a party, it is StageRouted. In both, Attempt is 1.
 */
export interface Turn {
  stageId: string
  roleId: string
  /**
   * World.ProcessState.StageAttempt
   */
  attempt: number
  /**
   * number of the role's turn in this attempt, from 1
   */
  n: number
}
/**
 * CollisionCleared removes the collision at a path.
 */
export interface CollisionCleared {
  type: 'collision:cleared'
  seq: number
  at: string
  v?: number
  requestId?: string
  path: string
}
/**
 * CollisionFound adds a collision, or replaces the one at the same path.
 */
export interface CollisionFound {
  type: 'collision:found'
  seq: number
  at: string
  v?: number
  requestId?: string
  /**
   * relative to the linked folder
   */
  path: string
  /**
   * AgentIDs has first the agents that edited the file, then those that only read it; each part is sorted.
   */
  agentIds: string[]
  /**
   * one of CollisionEdits, CollisionReads
   */
  why: string
  since: string | null
}
/**
 * ConversationRenamed sets a conversation's title. SpectatorID is the person who set it.
 */
export interface ConversationRenamed {
  type: 'conversation.renamed'
  seq: number
  at: string
  v?: number
  requestId?: string
  conversationId: string
  title: string
  spectatorId?: string
}
/**
 * ConversationStarted begins a transcript. SpectatorID is the person who began it, "" if no person did or if it is unknown.
 */
export interface ConversationStarted {
  type: 'conversation.started'
  seq: number
  at: string
  v?: number
  requestId?: string
  conversation: Conversation
  spectatorId?: string
}
/**
 * Conversation is the head of a transcript: everything except its rows, which are in tables of the database and not in World.
 */
export interface Conversation {
  conversationId: string
  kind: string
  title: string
  status: 'active' | 'queued' | 'paused' | 'interrupted' | 'completed' | 'abandoned' | 'failed'
  team: Team
  taskPrompt?: string
  maxTurns?: number
  createdAt: string | null
  updatedAt: string | null
  endedAt?: string
  about?: About
  /**
   * Reason explains the status, "" if the last conversation.status had no reason.
   */
  reason?: string
}
/**
 * Team is a named list of members.
 */
export interface Team {
  id: string
  name: string
  members: Member[]
}
/**
 * Member is a member of a team. Type is KindHuman or KindAgent.
 */
export interface Member {
  id: string
  name: string
  displayName: string
  type: 'human' | 'agent'
  role: string
  color: string
  order: number
}
/**
 * About is the stage of a process that a chat discusses. The prompts of the chat include the stage's artifacts.
 */
export interface About {
  /**
   * id of the process
   */
  conversationId: string
  stageId: string
  /**
   * name of the stage when the chat began
   */
  name: string
  /**
   * start of the process; the chat includes no older artifacts
   */
  since?: string
}
/**
 * ConversationStatus changes a conversation's status.
 */
export interface ConversationStatus {
  type: 'conversation.status'
  seq: number
  at: string
  v?: number
  requestId?: string
  conversationId: string
  status: 'active' | 'queued' | 'paused' | 'interrupted' | 'completed' | 'abandoned' | 'failed'
  reason?: string
}
/**
 * ConversationTeam replaces the team of a conversation after the team's file has changed. Earlier rows keep the old names of the members.
 */
export interface ConversationTeam {
  type: 'conversation.team'
  seq: number
  at: string
  v?: number
  requestId?: string
  conversationId: string
  team: Team
}
/**
 * DoorClosed closes a door. A later event for the same door corrects an earlier one, because the agent's own record can show that the question was answered in the terminal before.
 */
export interface DoorClosed {
  type: 'door:closed'
  seq: number
  at: string
  v?: number
  requestId?: string
  doorId: string
  conversationId: string
  outcome: string
  by?: string
  /**
   * name of the person By
   */
  name?: string
  /**
   * Answers are what that person answered to the questions of the door, in their order. The world does not keep them: the agent's own record has them.
   */
  answers?: string[]
}
/**
 * DoorOpened adds a door, or replaces the one with the same id.
 */
export interface DoorOpened {
  type: 'door:opened'
  seq: number
  at: string
  v?: number
  requestId?: string
  doorId: string
  agentId: string
  conversationId: string
  tool: string
  /**
   * the tool call in a few words, such as "touch x" or "main.go"
   */
  summary: string
  /**
   * the input of the tool call, at most MaxToolInput bytes
   */
  detail?: string
  /**
   * Choices are the answers that a person can give here. If there are none, the question can only be answered in the agent's own terminal.
   */
  choices: string[]
  /**
   * Always says in words what the choice ChoiceAlways allows from now on, "" for nothing or unknown.
   */
  always?: string
  since: string | null
  /**
   * Until is the time from which only the agent's own terminal can answer; 0 if there are no choices or if it is unknown.
   */
  until?: string
  /**
   * one of DoorAllowed and so on; "" while the door is open
   */
  outcome?: string
  /**
   * spectatorId of the person who answered here, "" if nobody did
   */
  by?: string
  /**
   * name of that person; doors of older servers have none
   */
  name?: string
}
/**
 * EventWithheld replaces, for a spectator, an event that only hosts may see. It has the seq and the time of that event. It is never stored in a journal.
 */
export interface EventWithheld {
  type: 'event:withheld'
  seq: number
  at: string
  v?: number
  requestId?: string
}
/**
 * FilesTouched adds to the timelines of files what a coding agent has read and edited. It has at most one FileTouch for each file and worktree, in the order of Last.
 */
export interface FilesTouched {
  type: 'file:touched'
  seq: number
  at: string
  v?: number
  requestId?: string
  touches: FileTouch[]
}
/**
 * FileTouch is a run (an unbroken sequence) of tool calls by which one coding agent has read or edited a file. The run ends when another agent reads or edits the file.
 */
export interface FileTouch {
  /**
   * relative to the linked folder
   */
  path: string
  agentId: string
  /**
   * conversation of the agent's session
   */
  conversationId: string
  /**
   * name of the agent, for the time after it has left the map
   */
  name: string
  /**
   * Worktree is the name of the other worktree in which the agent has read or edited the same file, "" for the linked folder. Spectators do not get it.
   */
  worktree?: string
  /**
   * number of tool calls that have read the file successfully
   */
  reads?: number
  /**
   * number of tool calls that have edited the file
   */
  edits?: number
  /**
   * time of the first touch
   */
  since: string | null
  /**
   * time of the last touch
   */
  last: string | null
  /**
   * time of the last edit, null for none
   */
  edited: string | null
}
/**
 * FindingPosted adds a finding, or replaces the finding with the same id, even a withdrawn one.
 */
export interface FindingPosted {
  type: 'findings:posted'
  seq: number
  at: string
  v?: number
  requestId?: string
  finding: Finding
}
/**
 * Finding is a problem that an agent or a person has found.
 */
export interface Finding {
  id: string
  agentId: string
  severity: 'info' | 'low' | 'medium' | 'high' | 'critical'
  /**
   * Confidence says how likely it is that the finding is true: one of Confidences, or "" if that is not known.
   */
  confidence?: 'low' | 'medium' | 'high'
  title: string
  text: string
  path: string
  line?: number
  stageId?: string
  at: string
  /**
   * Check is the id of the check that made the finding, Evidence is the line of code at that time, Why describes the harm and Advice the remedy; each may be "". Text combines all of them for older clients.
   */
  check?: string
  evidence?: string
  why?: string
  advice?: string
  /**
   * CWE has the numbers of the weaknesses that the check finds (cwe.mitre.org), at most MaxCWE.
   */
  cwe?: number[]
  /**
   * Reach says who runs the code at Path: one of Reaches; "" stands for the first one. ChangedAt is the time of the last commit that changed the file, 0 if it is unknown. The function Worse uses both.
   */
  reach?: 'product' | 'script' | 'test' | 'fixture' | 'foreign'
  changedAt?: string
  /**
   * Steps has the places through which a value flows from its source to the place of the finding, at most MaxSteps.
   */
  steps?: Step[]
  /**
   * Patch is a unified diff that repairs the problem, at most MaxPatch bytes. It is "" if the repair is not mechanical.
   */
  patch?: string
  /**
   * Accept is a line for the repository's file .agentdungeon-review. The line accepts the finding once REASON in it is replaced by a reason.
   */
  accept?: string
  /**
   * Withdrawn is the reason why the finding was withdrawn, "" if it was not. Into is another finding that reports the same problem, "" for none.
   */
  withdrawn?: string
  into?: string
  /**
   * Proof says why a finding of low confidence is true, with quoted lines; "" if nobody has proved it. See State.
   */
  proof?: string
  /**
   * ProcessID is the conversation of the process that was running, "" for none. Findings of older versions have none.
   */
  processId?: string
}
/**
 * Step is one place through which a value flows. Quote is the line of code; Note says what happens there, "" if the line shows it. Both have at most MaxStepText bytes.
 */
export interface Step {
  path: string
  line: number
  quote: string
  note?: string
}
/**
 * FindingWithdrawn withdraws a finding because it is wrong, or because another finding, Into, reports the same problem. The finding stays in the world with the reason.
 */
export interface FindingWithdrawn {
  type: 'findings:withdrawn'
  seq: number
  at: string
  v?: number
  requestId?: string
  findingId: string
  /**
   * the member that withdrew it
   */
  agentId?: string
  reason: string
  into?: string
}
/**
 * FocusChanged sets the member to whom a person's words go, "" for everybody. Forgets is another person whose focus is removed so that there are at most MaxFocus, "" for none.
 */
export interface FocusChanged {
  type: 'focus:changed'
  seq: number
  at: string
  v?: number
  requestId?: string
  spectatorId: string
  agentId: string
  forgets?: string
}
/**
 * ForgeStepped sets the state of a forge after a step. Context has the collected answers as one blob, which the journal writes into the table forges in the same transaction as the rows of the answers (S1-07).
 */
export interface ForgeStepped {
  type: 'forge:stepped'
  seq: number
  at: string
  v?: number
  requestId?: string
  conversationId: string
  forge: Forge
  moves: ForgeMove[]
}
/**
 * Forge is the part of a forge's state that clients see. The collected answers are not in it: a table stores them.
 */
export interface Forge {
  /**
   * a state of the package server/forge
   */
  state: string
  /**
   * Question is the question to the person. It is nil while Working is set and when the forge has ended.
   */
  question: ForgeQuestion | null
  /**
   * Working is "model" while a driver answers, "save" while the skill is written, else "".
   */
  working?: string
  /**
   * Skill is the present name of the skill. Known summarizes the collected answers by topic, for the person to check.
   */
  skill?: string
  known: ForgeKnown[]
}
/**
 * ForgeQuestion is a question to the person, who answers in words, by options (the choices of chat.send), or by both.
 */
export interface ForgeQuestion {
  topic: string
  text: string
  options: ForgeOption[]
  /**
   * several options can be chosen
   */
  many?: boolean
  /**
   * the person can also answer in words
   */
  words?: boolean
}
/**
 * ForgeOption is an option of a question; the page draws it as a button.
 */
export interface ForgeOption {
  id: string
  label: string
}
/**
 * ForgeKnown summarizes what the forge knows on one topic, in at most 8 lines of 200 bytes.
 */
export interface ForgeKnown {
  topic: string
  lines: string[]
}
/**
 * ForgeMove is one move of a forge from a state to another, for the audit (S1-19).
 */
export interface ForgeMove {
  from: string
  to: string
  why: string
}
/**
 * FortUpdate adds or replaces a fort. Removes is the member whose fort makes room for the new fort, "" for none.
 */
export interface FortUpdate {
  type: 'fort:update'
  seq: number
  at: string
  v?: number
  requestId?: string
  fort: Fort
  removes?: string
}
/**
 * Fort is the place of a member on the overworld; it remains when the member leaves. X, Y is the middle of the fort; GateX, GateY is the walkable tile in front of the gate. The page draws each tile with the landscape of the nearest fort.
 */
export interface Fort {
  agentId: string
  name: string
  color: string
  biome: 'forest' | 'coastal' | 'plains' | 'hills' | 'volcanic' | 'crystalline'
  stage: number
  x: number
  y: number
  gateX: number
  gateY: number
}
/**
 * HistoryErased reports the erasure of conversations, or of one person's words and identity (P16.3). All earlier events were redacted and keep their seq; a client with an older position gets a snapshot. Clients remove the erased rows, drafts and names. The event contains the texts and ids that remain after the erasure. So applying it after the redacted events gives the same world as applying it after the original ones: see Redactor.
 */
export interface HistoryErased {
  type: 'history:erased'
  seq: number
  at: string
  v?: number
  requestId?: string
  erasureId: string
  /**
   * ConversationID or SpectatorID is the subject of the request. An erasure by retention has neither.
   */
  conversationId?: string
  spectatorId?: string
  /**
   * ErasedOnRequest or ErasedByRetention
   */
  reason: string
  /**
   * Conversations lists the conversations that were erased whole, at most MaxErasedConversations. An erasure of a person includes the chats and forges in which no other person spoke.
   */
  conversations: string[]
  /**
   * Artifacts has the remaining texts of changed artifacts. Findings and Quests are the ids of the findings and quests whose words are erased. Forts are the ids of the members whose forts lose their name.
   */
  artifacts?: ErasedText[]
  findings?: string[]
  quests?: string[]
  forts?: string[]
  /**
   * Cleared lists those single texts of the world that were erased: ClearedProblem and so on.
   */
  cleared?: string[]
}
/**
 * ErasedText is the remaining text of an artifact.
 */
export interface ErasedText {
  id: string
  text: string
}
/**
 * KnowledgeUpdated adds an insight to the vault of a member, which is the list of what the member has learned.
 */
export interface KnowledgeUpdated {
  type: 'knowledge:updated'
  seq: number
  at: string
  v?: number
  requestId?: string
  agentId: string
  area: string
  text: string
  review?: Reviewed
}
/**
 * Reviewed is the state of the linked folder at the end of a code review. The next review compares the folder with it. It is part of the insight with the result of the review.
 */
export interface Reviewed {
  /**
   * HEAD, in hex
   */
  commit: string
  /**
   * identifies the set of checks
   */
  rules: string
  /**
   * paths of files that differed from the commit
   */
  changes?: string[]
  /**
   * Sums identify the contents that the review has read of the files of Changes, in their order: "" if it could not read one. Reviews of earlier versions have none.
   */
  sums?: string[]
}
/**
 * MessageAdded inserts a row outside of any run: a system row, or a message of a person that needs no answer.
 */
export interface MessageAdded {
  type: 'message.added'
  seq: number
  at: string
  v?: number
  requestId?: string
  conversationId: string
  message: Message
}
/**
 * NavigationChanged sets a person's room (Path) and the rooms to which the person can go back (Stack), the previous room last. Forgets is another person whose rooms are removed so that there are at most MaxWalkers, "" for none.
 */
export interface NavigationChanged {
  type: 'navigation:changed'
  seq: number
  at: string
  v?: number
  requestId?: string
  spectatorId: string
  path: string
  stack: string[]
  forgets?: string
}
/**
 * PartyUpdated replaces the state of the party.
 */
export interface PartyUpdated {
  type: 'party:update'
  seq: number
  at: string
  v?: number
  requestId?: string
  party: Party
}
/**
 * Party is the state of the current session that decides who speaks next. The transcript lacks this state, because rows are stored without routing markers (S2-B8). The zero value means that the realm has no party. A session that is restored later begins without it, paused and with an empty queue (Ready-Idle).
 */
export interface Party {
  teamId: string
  /**
   * id of the current session, "" while idle
   */
  conversationId: string
  status: string
  /**
   * WaitingFor is the member id of the person for whom a paused party waits, "" for anybody.
   */
  waitingFor: string
  /**
   * Executing is the item of the current turn, nil for none.
   */
  executing: PartyItem | null
  /**
   * oldest first, at most party.MaxQueue
   */
  queue: PartyItem[]
  /**
   * Order has the numbers of the queue's items in the order in which the members are asked if nobody speaks in between (P14.11). It is empty if that is the order of Queue.
   */
  order?: number[]
  teamTask: string
  /**
   * at most one for each person of the team
   */
  seats: PartySeat[]
  /**
   * id of the newest message, "" before the first
   */
  newest: string
  /**
   * number of consecutive turns in the branch of the newest message
   */
  local: number
  /**
   * number of turns of agents since a person has spoken
   */
  turns: number
  /**
   * number N of the newest item
   */
  asked: number
  /**
   * Called has the newest messages that asked members for a turn, oldest first, at most party.MaxCalled.
   */
  called?: PartyCall[]
  /**
   * Unchecked is set when a member leaves the team. The plan then finds the members who spoke in the session and have left the team, sends the warning session:warning, and clears Unchecked.
   */
  untold?: boolean
}
/**
 * PartyItem is a queued request for a member's turn.
 */
export interface PartyItem {
  /**
   * number of the item in its party, from 1
   */
  n: number
  target: string
  /**
   * the message with the request
   */
  parent: string
  intent: string
}
/**
 * PartySeat records which member of the team a spectator speaks as.
 */
export interface PartySeat {
  memberId: string
  spectatorId: string
}
/**
 * PartyCall records which members a message asked for a turn.
 */
export interface PartyCall {
  messageId: string
  /**
   * each once, in the order of the message
   */
  memberIds: string[]
}
/**
 * ProcessCast sets the holder of a role: a person, a driver or nobody.
 */
export interface ProcessCast {
  type: 'process:cast'
  seq: number
  at: string
  v?: number
  requestId?: string
  casting: Casting
  by?: string
  name?: string
}
/**
 * Casting assigns a role of the template to a person or a driver.
 */
export interface Casting {
  roleId: string
  memberId: string
  /**
   * KindHuman, KindAgent, KindOpen
   */
  kind: 'human' | 'agent' | 'open'
  name?: string
  spectatorId?: string
}
/**
 * ProcessCompleted ends the process. The cast of the present stage stays on the map. Early is set if a person ended the process before its last stage had ended.
 */
export interface ProcessCompleted {
  type: 'process:completed'
  seq: number
  at: string
  v?: number
  requestId?: string
  artifacts: ArtifactRef[]
  early?: boolean
}
/**
 * ArtifactRef names an artifact without its text.
 */
export interface ArtifactRef {
  id: string
  name: string
  stageId: string
  agentId: string
}
/**
 * ProcessError reports a failure. Another event has what the process does about it.
 */
export interface ProcessError {
  type: 'process:error'
  seq: number
  at: string
  v?: number
  requestId?: string
  stageId: string
  roleId?: string
  code: string
  message: string
}
/**
 * ProcessPaused pauses the process: no turn runs, and none begins before ProcessResumed. Author is who asked for the pause, also if the server had to wait for the end of turns.
 */
export interface ProcessPaused {
  type: 'process:paused'
  seq: number
  at: string
  v?: number
  requestId?: string
  reason?: string
  by?: string
  name?: string
}
/**
 * ProcessPausing records that a person has requested a pause while turns are under way. ProcessPaused follows when they have ended.
 */
export interface ProcessPausing {
  type: 'process:pausing'
  seq: number
  at: string
  v?: number
  requestId?: string
  by?: string
  name?: string
}
/**
 * ProcessResumed continues a process. Approved is the key of the turns that the person allows in the modes supervised and manual (a stage, or one turn of it), else "".
 */
export interface ProcessResumed {
  type: 'process:resumed'
  seq: number
  at: string
  v?: number
  requestId?: string
  approved?: string
  by?: string
  name?: string
}
/**
 * ProcessSealed records the explicit signal of a role that the current stage is done.
 */
export interface ProcessSealed {
  type: 'process:sealed'
  seq: number
  at: string
  v?: number
  requestId?: string
  stageId: string
  roleId: string
  summary?: string
}
/**
 * ProcessSkipped skips the current or next turn of each role in RoleIDs, at the request of a person. A skipped turn counts as taken, without an answer.
 */
export interface ProcessSkipped {
  type: 'process:skipped'
  seq: number
  at: string
  v?: number
  requestId?: string
  stageId: string
  attempt: number
  roleIds: string[]
  /**
   * Skips has the new total of skipped turns, by "stageId:roleId".
   */
  skips: {
    [k: string]: number
  }
}
/**
 * ProcessAdvanced ends a stage and begins the next. It is one event, so that no crash can end the stage without beginning the next (S3-22).
 */
export interface ProcessAdvanced {
  type: 'process:stage_advanced'
  seq: number
  at: string
  v?: number
  requestId?: string
  fromStageId: string
  toStageId: string
  stageIndex: number
  totalStages: number
}
/**
 * ProcessStageRestarted restarts the current stage. Counts lists the keys of the turn counts that are reset.
 */
export interface ProcessStageRestarted {
  type: 'process:stage_restarted'
  seq: number
  at: string
  v?: number
  requestId?: string
  stageId: string
  attempt: number
  counts: string[]
}
/**
 * ProcessStarted begins a staged process. The process keeps Template to its end. The new ProcessState replaces the state of an earlier process; artifacts of that process stay in World.Artifacts.
 */
export interface ProcessStarted {
  type: 'process:started'
  seq: number
  at: string
  v?: number
  requestId?: string
  templateId: string
  name: string
  problem: string
  stages: StageRef[]
  stageIndex: number
  conversationId: string
  template: Template | null
  cast: Casting[]
}
/**
 * StageRef names a stage in process:started.
 */
export interface StageRef {
  id: string
  name: string
}
/**
 * Template defines a staged process. It is the content of a template file.
 */
export interface Template {
  id: string
  name: string
  description?: string
  roles: Role[]
  stages: Stage[]
}
/**
 * Role of a template. Its id is also the member id of the person or driver that holds it.
 */
export interface Role {
  id: string
  name: string
  color: string
  persona?: string
}
/**
 * Stage of a template.
 */
export interface Stage {
  id: string
  name: string
  goal: string
  roles: string[]
  /**
   * Structure is StructSequential (in the order of Roles, round by round), StructParallel (all at once; no role sees another's answers before the stage ends) or StructSingle (the first of Roles alone).
   */
  structure: 'sequential' | 'parallel' | 'single'
  /**
   * Completion is CompleteTurns (the stage ends after Turns turns of each acting role) or CompleteSignal (it ends after the explicit signal).
   */
  completion: 'turn_count' | 'explicit_signal'
  turns?: number
  /**
   * Movement is where heroes go when the stage begins: MoveOutward (to their forts) or MoveInward (to the keep). "" means outward in parallel stages, inward in others.
   */
  movement?: 'outward' | 'inward'
  artifacts: ArtifactSpec[]
}
/**
 * ArtifactSpec names an artifact of a stage and the role that produces it. An empty Producer means all acting roles together.
 */
export interface ArtifactSpec {
  name: string
  producer?: string
}
/**
 * ProcessWaiting sets the reason why the process waits. Waiting is nil if it no longer waits.
 */
export interface ProcessWaiting {
  type: 'process:waiting'
  seq: number
  at: string
  v?: number
  requestId?: string
  waiting: Waiting | null
}
/**
 * Waiting explains to people what the process waits for and what they can do.
 */
export interface Waiting {
  code: 'role_open' | 'approval' | 'turn_failed'
  message: string
  roleIds: string[]
  since: string | null
}
/**
 * QuestUpdate adds a quest, or replaces the quest with the same id.
 */
export interface QuestUpdate {
  type: 'quest:update'
  seq: number
  at: string
  v?: number
  requestId?: string
  quest: Quest
}
/**
 * Quest is a task that a person can take. AgentID is the member that found the quest. SpectatorID and Owner name the person who has taken the quest; they are empty while the quest is open. Note is the reason why the quest's finding was withdrawn; a quest with a note and without an owner is done.
 */
export interface Quest {
  id: string
  title: string
  status: 'open' | 'assigned' | 'in_progress' | 'done'
  priority: 'low' | 'medium' | 'high'
  agentId?: string
  path?: string
  line?: number
  findingId?: string
  spectatorId?: string
  owner?: string
  /**
   * at most MaxQuestNote bytes
   */
  note?: string
}
/**
 * RealmCreated is the first event of a realm, with its first settings.
 */
export interface RealmCreated {
  type: 'realm:created'
  seq: number
  at: string
  v?: number
  requestId?: string
  realm: Realm
  settings: Settings
}
/**
 * Realm identifies a realm. Path is the absolute path of the linked folder on the server, "" if none is linked.
 */
export interface Realm {
  id: string
  name: string
  path?: string
  tenant: string
}
/**
 * Settings has the settings of a realm, as the wire contract lists them.
 */
export interface Settings {
  maxAgents: number
  pace: 'watchable' | 'instant'
  autonomyMode: 'autonomous' | 'supervised' | 'manual'
  turnTimeoutSeconds: number
  taskMaxTurns: number
  maxConcurrentConversations: number
  contextWindowMessages: number
  /**
   * AgentChats is On if councils of more than one agent are allowed (S0-B12). Tasks of one agent and chats with people are always allowed. Settings of older versions have "", which means On.
   */
  agentChats?: 'on' | 'off'
  /**
   * Shadows is Off if the server reads and shows no sessions of coding agents. "" means On, so that worlds written before this setting existed stay as they are.
   */
  shadows?: 'on' | 'off'
  /**
   * ShadowsFor is Everybody if spectators see private conversations, too (P17.16). "" means Hosts.
   */
  shadowsFor?: 'hosts' | 'everybody'
  /**
   * FilesFor is Everybody if spectators may open files of the linked folder, too (P19.2). "" means Hosts.
   */
  filesFor?: 'hosts' | 'everybody'
}
/**
 * RealmRestored is the first event each time that the realm is opened, except the first time. It reports from what the world was restored and what was lost. Realm is set if the realm's folder was copied or moved, so that its id or tenant differs from that of the restored world. Salvage is set if the database was damaged.
 */
export interface RealmRestored {
  type: 'realm:restored'
  seq: number
  at: string
  v?: number
  requestId?: string
  /**
   * RestoredFromCheckpoint and so on
   */
  source: 'checkpoint' | 'previous' | 'base' | 'journal' | 'state' | 'nothing'
  /**
   * seq of the last event that could be folded
   */
  restoredTo: number
  interruptedRuns: number
  missingMembers: Member[]
  transcriptsLost?: boolean
  /**
   * when the restored state was written
   */
  since?: string
  setAside?: string[]
  realm?: Realm
  salvage?: Salvage
  /**
   * StageTurnCounts and AgentTurnCounts are counts from the transcript, which replace the counts in the world.
   */
  stageTurnCounts?: {
    [k: string]: number
  }
  agentTurnCounts?: {
    [k: string]: number
  }
  /**
   * Instances are the members' newest instances (numbered drivers) in the transcripts. Only those that the world lacks, or has with a smaller number, are listed.
   */
  instances?: Instance[]
}
/**
 * Salvage counts what could be read of a damaged database. MessagesKnown and EventsKnown also count rows and events that could not be read, but left a trace in the database. Others can be lost without a trace. The world keeps the newest Salvage.
 */
export interface Salvage {
  at: string
  messages: number
  messagesKnown: number
  events: number
  eventsKnown: number
  /**
   * the new names of the damaged files, in the realm's folder
   */
  setAside?: string[]
}
/**
 * Instance is the name MemberID#n of the newest driver that plays a member. n counts the drivers of the member from 1, across restarts of the server (S0-07).
 */
export interface Instance {
  memberId: string
  instance: string
}
/**
 * SessionRead records the position up to which a session was read. It is committed together with the events for the entries before the position, so that no entry is read twice or left out.
 */
export interface SessionRead {
  type: 'session:read'
  seq: number
  at: string
  v?: number
  requestId?: string
  session: Session
}
/**
 * Session is a session of a coding agent that a person runs, as far as the realm has read it.
 */
export interface Session {
  program: string
  /**
   * the program's id
   */
  sessionId: string
  agentId: string
  conversationId: string
  /**
   * AgentID of the session that started this one as a sub-agent
   */
  parent?: string
  /**
   * Position is where the reader continues in the session's files: see shadow.Position. It has no text of the session.
   */
  position: string
  /**
   * Counted has the newest requests to a model whose tokens the ledger has counted, at most MaxCounted, the newest last. Stated is what the program itself has recorded as the price of the session and its sub-agents, in millionths of a dollar; 0 if it has recorded none since its newest request. Spectators get neither.
   */
  counted?: UsageCounted[]
  stated?: number
  /**
   * Hears is set when a hook of the session first calls the server, until the session ends. While it is set, messages of people can reach the agent (P17.14).
   */
  hears?: boolean
  /**
   * Words has the messages of people to the agent, the oldest first: see MaxWords. It is empty in an event session:read and for spectators. The list is replaced and never modified.
   */
  words?: AgentWord[]
}
/**
 * UsageCounted is one request to a model that the ledger has counted. Programs record a request more than once, at first without all of its tokens, so a later record of it replaces the earlier one.
 */
export interface UsageCounted {
  /**
   * checksum of shadow.Usage.Key
   */
  key: string
  day: string
  model: string
  /**
   * input that was not read from a cache
   */
  input: number
  output: number
  cacheRead: number
  /**
   * input that was written to a cache for 5 minutes
   */
  cacheWrite: number
  /**
   * input that was written to a cache for an hour
   */
  cacheLong: number
  micros?: number
  unpriced?: number
}
/**
 * AgentWord is a message of a person to a coding agent whose program runs outside of the server, or a person's request that the agent stop.
 */
export interface AgentWord {
  wordId: string
  agentId: string
  conversationId: string
  text: string
  /**
   * the person
   */
  spectatorId: string
  /**
   * name of the person; words of older servers have none
   */
  name?: string
  since: string | null
  /**
   * one of WordHanded and so on, "" while the word is queued
   */
  state?: string
  /**
   * Stop is set if the person asks that the turn end, and says nothing: Text is empty then.
   */
  stop?: boolean
}
/**
 * SessionRestored reports that a session was restored in the state Ready-Idle (S2-12, S2-16). SessionID is the conversation's id.
 */
export interface SessionRestored {
  type: 'session:restored'
  seq: number
  at: string
  v?: number
  requestId?: string
  sessionId: string
  conversationId: string
  messageCount: number
  stats?: PartyStats
}
/**
 * PartyStats are the statistics of a session (S2-12).
 */
export interface PartyStats {
  totalMessages: number
  /**
   * number of messages by the speaker's id
   */
  messagesByRole: {
    [k: string]: number
  }
  /**
   * milliseconds since the session began
   */
  duration: number
}
/**
 * SessionWarning reports that members spoke in the session who are no longer in the team (S2-09).
 */
export interface SessionWarning {
  type: 'session:warning'
  seq: number
  at: string
  v?: number
  requestId?: string
  sessionId: string
  conversationId: string
  message: string
  missingMembers: MissingMember[]
}
/**
 * MissingMember is a member who spoke in a session and is no longer in the team.
 */
export interface MissingMember {
  id: string
  name: string
}
/**
 * SettingsUpdated replaces all settings.
 */
export interface SettingsUpdated {
  type: 'settings:updated'
  seq: number
  at: string
  v?: number
  requestId?: string
  settings: Settings
}
/**
 * SkillRemoved removes a skill from the realm.
 */
export interface SkillRemoved {
  type: 'skill:removed'
  seq: number
  at: string
  v?: number
  requestId?: string
  name: string
}
/**
 * SkillUpdated adds a skill, or replaces the skill with the same name.
 */
export interface SkillUpdated {
  type: 'skill:updated'
  seq: number
  at: string
  v?: number
  requestId?: string
  skill: Skill
}
/**
 * Skill is a skill of the realm. Its text is in skills/<name>/SKILL.md. Agents lists the members whose prompts include it.
 */
export interface Skill {
  name: string
  description: string
  /**
   * the forge that made the skill, "" for none
   */
  conversationId?: string
  at: string
  /**
   * member ids, at most MaxSkillAgents
   */
  agents: string[]
  /**
   * Missing is set while the skill's folder does not exist. No prompt includes the skill then. The world keeps its agents and its forge in case the folder is restored.
   */
  missing?: boolean
}
/**
 * SpectatorCommand is a message of a person to everybody.
 */
export interface SpectatorCommand {
  type: 'spectator:command'
  seq: number
  at: string
  v?: number
  requestId?: string
  spectatorId: string
  name: string
  color: string
  text: string
}
/**
 * TeamReady reports that a team was set and its session is ready: a new one, or a restored one (S2-03).
 */
export interface TeamReady {
  type: 'team:ready'
  seq: number
  at: string
  v?: number
  requestId?: string
  team: Team
  restored: boolean
  conversationId: string
}
/**
 * ToolEnd closes a tool's row with the result. Output holds at most MaxToolShown bytes; Cut is set if the stored row holds more. Unknown is set if the server died during the call, so that its outcome is unknown. Refused is set if OK is not, because a person refused the call.
 */
export interface ToolEnd {
  type: 'tool.end'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  messageId: string
  ok: boolean
  output: string
  cut?: boolean
  unknown?: boolean
  refused?: boolean
  /**
   * see ToolUse.Tests
   */
  tests?: string
}
/**
 * ToolOutput appends output of a running tool to its row, at most MaxToolShown bytes in total. ToolEnd replaces that output.
 */
export interface ToolOutput {
  type: 'tool.output'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  messageId: string
  text: string
}
/**
 * ToolStart inserts the open row of a tool call. It is durable before the tool acts (S4-08).
 */
export interface ToolStart {
  type: 'tool.start'
  seq: number
  at: string
  v?: number
  conversationId: string
  requestId: string
  messageId: string
  memberId: string
  memberName: string
  /**
   * name of the tool
   */
  name: string
  input: string
  callId?: string
  /**
   * set if the tool only reads
   */
  reads?: boolean
  stageId?: string
}
/**
 * UsageChanged sets a row of the ledger. Its numbers are the new totals and not differences.
 */
export interface UsageChanged {
  type: 'usage:changed'
  seq: number
  at: string
  v?: number
  requestId?: string
  /**
   * "" in a row of earlier days, see MaxUsage
   */
  agentId: string
  /**
   * conversation of the agent's session when the row was written
   */
  conversationId: string
  /**
   * Name of the agent, at most MaxTitle bytes; "" after that conversation was erased.
   */
  name?: string
  /**
   * the agent that started this one as a sub-agent
   */
  parent?: string
  /**
   * name that the program gives the model, at most MaxTitle bytes
   */
  model: string
  /**
   * UTC day, such as "2026-11-24"; "" in a row of earlier days
   */
  day: string
  /**
   * input that was not read from a cache
   */
  input: number
  output: number
  cacheRead: number
  /**
   * input that was written to a cache for 5 minutes
   */
  cacheWrite: number
  /**
   * input that was written to a cache for an hour
   */
  cacheLong: number
  /**
   * Micros is the price, in millionths of a dollar, of all tokens except Unpriced, for which no price is known.
   */
  micros?: number
  unpriced?: number
  /**
   * Context is the number of tokens in the agent's context after its newest request, Window the size of its context; 0 if they are unknown.
   */
  context?: number
  window?: number
}
/**
 * WordTold records a person's message to a coding agent. The message waits until a hook of the agent takes it.
 */
export interface WordTold {
  type: 'word:queued'
  seq: number
  at: string
  v?: number
  requestId?: string
  wordId: string
  agentId: string
  conversationId: string
  text: string
  /**
   * the person
   */
  spectatorId: string
  /**
   * name of the person; words of older servers have none
   */
  name?: string
  since: string | null
  /**
   * one of WordHanded and so on, "" while the word is queued
   */
  state?: string
  /**
   * Stop is set if the person asks that the turn end, and says nothing: Text is empty then.
   */
  stop?: boolean
}
/**
 * WordMoved sets the state of a person's message to a coding agent. A later event for the same message corrects an earlier one.
 */
export interface WordMoved {
  type: 'word:state'
  seq: number
  at: string
  v?: number
  requestId?: string
  wordId: string
  conversationId: string
  state: string
}
/**
 * ServerInfo is the first frame of every connection. The server sends it again before it attaches the socket to another realm.
 */
export interface ServerInfo {
  type: 'server:info'
  protocol: number
  version: string
  gamePhase: 'onboarding' | 'analyzing' | 'playing'
  realmId: string | null
  epoch: string | null
  seq: number
  addresses: string[]
  port: number
  role: 'host' | 'spectator'
  /**
   * Guest is that of SpectatorWelcome, so that the page does not first ask somebody for a name who may not answer.
   */
  guest?: boolean
  /**
   * Offer is the folder that the page suggests to link: the server's working directory. It is empty for spectators.
   */
  offer?: string
  /**
   * Templates are the templates for player:start-process: first those of which drivers play all roles, then those of which drivers play some roles, then the others.
   */
  templates: TemplateInfo[]
  /**
   * Driver says what kind of driver plays the roles that no person holds: DriverNone and so on.
   */
  driver: string
}
/**
 * TemplateInfo describes a process template.
 */
export interface TemplateInfo {
  id: string
  name: string
  description: string
  roles: string[]
  stages: string[]
  /**
   * Driver says what kind of driver plays the roles with CastInfo.Played while no person holds them: DriverNone and so on.
   */
  driver: 'none' | 'scout' | 'script' | 'model'
  /**
   * the template's roles, in order
   */
  cast: CastInfo[]
}
/**
 * CastInfo is a role of a template.
 */
export interface CastInfo {
  id: string
  name: string
  color: string
  /**
   * Played is set if the server has a driver for the role, so that people can talk to it.
   */
  played?: boolean
}
/**
 * Welcome answers hello. All further frames are about the realm that Welcome names.
 */
export interface Welcome {
  type: 'welcome'
  realmId: string | null
  continuity: 'replay' | 'snapshot' | 'none'
  reason?: 'first' | 'unknown_epoch' | 'future' | 'diverged' | 'trimmed' | 'erased' | 'too_far' | 'damaged' | 'switched'
  epoch: string | null
  from: number
  to: number
  mapGeneration: number
}
/**
 * WorldState is a snapshot of a realm. The server encodes World and Conversations once and sends the same bytes to all clients. Recent has the newest of the events, up to Seq, that clients show between the rows of a transcript (world.Facts), oldest first, at most RecentEvents and RecentBytes. Rooms has a map:change with the first page of each room with agents, at most RoomsBytes.
 */
export interface WorldState {
  type: 'world:state'
  seq: number
  epoch: string
  world: World
  conversations: ConversationView[]
  recent: EventFrame[]
  rooms: MapChange[]
  spectators: Spectator[]
}
/**
 * State is a world and its land as one JSON object. world:state, state.json and the bases of the journal (worlds from which older events can be dropped) have this form.
 */
export interface World {
  realm: Realm
  agents: Agent[]
  map: Map
  mapTree: MapTree
  country: Country
  /**
   * sorted by ID, at most MaxObjects
   */
  objects: Object[]
  quests: Quest[]
  findings: Finding[]
  artifacts: Artifact[]
  tick: number
  processState: ProcessState
  navigationState: NavigationState
  settings: Settings
  /**
   * Fog has the layer LayerExplored of the overworld, Paths the layer LayerWorn.
   */
  fog: Grid[]
  forts: Fort[]
  paths: Grid[]
  /**
   * Explored lists the folders whose rooms a hero has entered, at most MaxExplored.
   */
  explored: string[]
  /**
   * Focus lists the members whom people have chosen to address, the oldest choice first, at most MaxFocus.
   */
  focus: Focus[]
  party: Party
  /**
   * Skills lists the skills in the realm's skills folder, at most MaxSkills.
   */
  skills: Skill[]
  /**
   * Erased lists the ids of erased conversations and people, the newest last, at most MaxErased. The realm refuses commands that name them.
   */
  erased: string[]
  /**
   * Instances lists the newest numbered driver of each member, at most MaxInstances. The driver that played longest ago comes first.
   */
  instances: Instance[]
  salvage?: Salvage
  /**
   * Sessions lists the sessions of coding agents that people run, at most MaxSessions. The one that was read longest ago comes first.
   */
  sessions?: Session[]
  /**
   * Doors lists the questions of coding agents: at most MaxDoors open ones and MaxClosedDoors others, the oldest first.
   */
  doors?: AgentDoor[]
  /**
   * Touches is the timeline of files: which coding agent has read or edited which file. It is in the order of Last, and has at most MaxTouches entries.
   */
  touches?: FileTouch[]
  /**
   * Collisions lists the files at which coding agents are in each other's way: at most MaxCollisions.
   */
  collisions?: Collision[]
  /**
   * Usage is the ledger of coding agents, at most MaxUsage rows, the one that changed last at the end.
   */
  usage?: AgentUsage[]
}
/**
 * Map summarizes the last scan of the linked folder.
 */
export interface Map {
  generation: number
  files: number
  folders: number
  bytes: number
  /**
   * "git", "walk", "none"
   */
  source: string
  missing?: boolean
  scannedAt: string | null
}
/**
 * MapTree is a folder with the numbers of files and folders below it. Land has the tree of the root and two levels of folders.
 */
export interface MapTree {
  name: string
  path: string
  files: number
  folders: number
  children: MapTree[]
}
/**
 * Country is the overworld without the parts that events change. Its terrain depends only on the realm's id, its houses only on the last scan of the linked folder.
 */
export interface Country {
  tiles: Grid
  sites: Site[]
}
/**
 * Grid is a run-length encoded layer of the overworld. Runs holds pairs of a value (0 to 255) and a number of tiles, in reading order. Adjacent runs differ in value, so equal layers have equal runs.
 */
export interface Grid {
  name: string
  width: number
  height: number
  runs: number[]
}
/**
 * Site is the house of a folder on the overworld: the keep in the middle for the root folder, or a house around the keep for a top-level folder. People and heroes enter all other folders through the keep. X, Y is the top left tile of the house; DoorX, DoorY is the walkable tile in front of the door.
 */
export interface Site {
  path: string
  name: string
  x: number
  y: number
  width: number
  height: number
  doorX: number
  doorY: number
  files: number
}
/**
 * Object is a place on the map that shows numbers of findings, open quests or artifacts. No event sets it: Apply computes it from them (S3-01).
 */
export interface Object {
  id: string
  /**
   * ObjectKeep, ObjectPlace or ObjectFort
   */
  kind: string
  /**
   * the last part of Path, or AgentID
   */
  name: string
  /**
   * path of an ObjectPlace in wire form, else ""
   */
  path: string
  /**
   * X, Y is the overworld tile of a keep or a fort. Both are 0 for a member without a fort, and for an ObjectPlace, which is drawn in its folder's room.
   */
  x?: number
  y?: number
  /**
   * the member of an ObjectFort
   */
  agentId?: string
  /**
   * number of findings that count; see Finding.Stands
   */
  findings?: number
  /**
   * number of quests that are not done
   */
  quests?: number
  artifacts?: number
}
/**
 * ProcessState is the state of the staged process. Document 003 does not define the fields from Template on; the plan needs them to continue after a restart.
 */
export interface ProcessState {
  status: 'idle' | 'running' | 'paused' | 'completed'
  currentStageIndex: number
  /**
   * artifact name -> ids in World.Artifacts
   */
  collectedArtifacts: {
    [k: string]: string[]
  }
  problemStatement: string
  templateId: string
  /**
   * stage id -> turns
   */
  stageTurnCounts: {
    [k: string]: number
  }
  /**
   * "stageId:memberId" -> turns
   */
  agentTurnCounts: {
    [k: string]: number
  }
  stageStartedAt: string | null
  /**
   * Skips counts the turns that a person skipped, by "stageId:roleId".
   */
  skips: {
    [k: string]: number
  }
  /**
   * Template is a copy from the start of the process. Later changes of the template's file do not affect the process.
   */
  template: Template | null
  conversationId: string
  /**
   * StageAttempt is 1 for the first attempt of a stage and grows with /restart. Runs of earlier attempts do not count as turns.
   */
  stageAttempt: number
  cast: Casting[]
  /**
   * Pausing is set after /pause until the current turns have ended.
   */
  pausing?: boolean
  pausedBy?: Author
  /**
   * Early is set if a person ended the process before its last stage had ended. The reason of its conversation says who.
   */
  early?: boolean
  /**
   * Reason explains a pause that no person requested.
   */
  reason?: string
  /**
   * Approved identifies the stage or the turn that a person has approved, in the modes supervised and manual; see process.Next.
   */
  approved?: string
  /**
   * ResumedSeq is the seq of the last /resume. Failures before it no longer count.
   */
  resumedSeq?: number
  /**
   * Sealed is the explicit signal that ends the current stage, nil if no role has given it.
   */
  sealed: Seal | null
  waiting: Waiting | null
}
/**
 * PausedBy is the person who asked for the pause that is requested or has begun; nil for none. It is never changed in place.
 */
export interface Author {
  by?: string
  name?: string
}
/**
 * Seal is the explicit signal of a role that the current stage is done.
 */
export interface Seal {
  roleId: string
  summary?: string
}
/**
 * NavigationState holds the rooms of people, by spectatorId, and of heroes, by member id (S3-03, B29). AgentCurrentPath has the current room. AgentNavStacks has the rooms to go back through, the previous room last: at most MaxNavStack for a person and MaxHeroStack for a hero. A hero on the overworld is in neither map.
 */
export interface NavigationState {
  agentNavStacks: {
    [k: string]: string[]
  }
  agentCurrentPath: {
    [k: string]: string
  }
  /**
   * Walkers lists the people in AgentCurrentPath, the one who walked least recently first.
   */
  walkers: string[]
}
/**
 * Focus is the member whom a person has chosen to address (B21). While the member is not on the map, the person's words go to everybody.
 */
export interface Focus {
  spectatorId: string
  agentId: string
}
/**
 * AgentDoor is a question of a coding agent that a person answers: whether a tool may run, or with ChoiceAnswer the questions in Detail. It is open until Outcome is set.
 */
export interface AgentDoor {
  doorId: string
  agentId: string
  conversationId: string
  tool: string
  /**
   * the tool call in a few words, such as "touch x" or "main.go"
   */
  summary: string
  /**
   * the input of the tool call, at most MaxToolInput bytes
   */
  detail?: string
  /**
   * Choices are the answers that a person can give here. If there are none, the question can only be answered in the agent's own terminal.
   */
  choices: string[]
  /**
   * Always says in words what the choice ChoiceAlways allows from now on, "" for nothing or unknown.
   */
  always?: string
  since: string | null
  /**
   * Until is the time from which only the agent's own terminal can answer; 0 if there are no choices or if it is unknown.
   */
  until?: string
  /**
   * one of DoorAllowed and so on; "" while the door is open
   */
  outcome?: string
  /**
   * spectatorId of the person who answered here, "" if nobody did
   */
  by?: string
  /**
   * name of that person; doors of older servers have none
   */
  name?: string
}
/**
 * Collision is a file that two or more coding agents have edited, or that one has edited after others had read it.
 */
export interface Collision {
  /**
   * relative to the linked folder
   */
  path: string
  /**
   * AgentIDs has first the agents that edited the file, then those that only read it; each part is sorted.
   */
  agentIds: string[]
  /**
   * one of CollisionEdits, CollisionReads
   */
  why: string
  since: string | null
}
/**
 * AgentUsage is a row of the ledger: the tokens that one agent has used of one model on one day, and their price. The numbers are sums over all requests.
 */
export interface AgentUsage {
  /**
   * "" in a row of earlier days, see MaxUsage
   */
  agentId: string
  /**
   * conversation of the agent's session when the row was written
   */
  conversationId: string
  /**
   * Name of the agent, at most MaxTitle bytes; "" after that conversation was erased.
   */
  name?: string
  /**
   * the agent that started this one as a sub-agent
   */
  parent?: string
  /**
   * name that the program gives the model, at most MaxTitle bytes
   */
  model: string
  /**
   * UTC day, such as "2026-11-24"; "" in a row of earlier days
   */
  day: string
  /**
   * input that was not read from a cache
   */
  input: number
  output: number
  cacheRead: number
  /**
   * input that was written to a cache for 5 minutes
   */
  cacheWrite: number
  /**
   * input that was written to a cache for an hour
   */
  cacheLong: number
  /**
   * Micros is the price, in millionths of a dollar, of all tokens except Unpriced, for which no price is known.
   */
  micros?: number
  unpriced?: number
  /**
   * Context is the number of tokens in the agent's context after its newest request, Window the size of its context; 0 if they are unknown.
   */
  context?: number
  window?: number
}
/**
 * View is a conversation as clients get it (ConversationView of the wire contract). LastRun is the newest run of a chat or council. If that run was interrupted, failed or cancelled, conversation.resume repeats it.
 */
export interface ConversationView {
  conversationId: string
  kind: string
  title: string
  status: 'active' | 'queued' | 'paused' | 'interrupted' | 'completed' | 'abandoned' | 'failed'
  team: Team
  taskPrompt?: string
  maxTurns?: number
  createdAt: string | null
  updatedAt: string | null
  endedAt?: string
  about?: About
  /**
   * Reason explains the status, "" if the last conversation.status had no reason.
   */
  reason?: string
  /**
   * the newest rows, in order
   */
  messages: Message[]
  hasMore: boolean
  activeRuns: Run[]
  activeRun: Run | null
  lastSeq: number
  plan: Plan
  lastRun?: Run
}
/**
 * Run is one answer to one request, identified by (ConversationID, RequestID). Turn is the turn of a plan that the run plays, nil for none.
 */
export interface Run {
  conversationId: string
  requestId: string
  memberId: string
  /**
   * the driver that plays the run, as memberId#n; see Instance
   */
  instance?: string
  status: 'running' | 'done' | 'error' | 'cancelled' | 'interrupted' | 'timeout'
  startedAt: string | null
  endedAt?: string
  lastActivityAt: string | null
  /**
   * seq of the first event of the run
   */
  startSeq: number
  turn?: Turn
  /**
   * the code of chat.error
   */
  code?: string
  /**
   * the reason of chat.cancelled
   */
  reason?: string
  /**
   * name of the model that answers, or of the driver
   */
  model?: string
}
/**
 * Plan is the state of a conversation's plan as clients see it in a View.
 */
export interface Plan {
  waiting: Waiting | null
  asked: Ask[]
  /**
   * Turns is the number of turns that a council has taken so far, MaxTurns the limit of that number. NextMemberID is the member who speaks next, "" for none.
   */
  turns?: number
  maxTurns?: number
  nextMemberId?: string
  forge?: Forge
}
/**
 * Ask is the request for a person's turn. Until is 0, because people have no time limit.
 */
export interface Ask {
  conversationId: string
  requestId: string
  roleId: string
  memberId: string
  until?: string
  prompt: string
}
/**
 * MapChange answers map:room, player:navigate-enter and player:navigate-back.
 */
export interface MapChange {
  type: 'map:change'
  requestId?: string
  path: string
  room: Room
  page: number
  pages: number
  /**
   * Back is set if there is a room for player:navigate-back. It is absent in answers to map:room.
   */
  back?: boolean
}
/**
 * Room is a page of a folder. The tiles of Walls and the outermost tiles except the doors are walls. All tiles without a wall or an object are walkable.
 */
export interface Room {
  path: string
  generation: number
  width: number
  height: number
  objects: RoomObject[]
  doors: Door[]
  parts: Part[]
  walls: Point[]
  /**
   * Gone lists the files and folders that were removed or moved away recently.
   */
  gone: FileChange[]
}
/**
 * Object is an item in a room that stands for a file or a link. Kind is "file", "doc", "config", "test" or "link".
 */
export interface RoomObject {
  id: string
  kind: string
  name: string
  path: string
  /**
   * Language is the file's language according to the extension of its name; "" if there is none or a rare one.
   */
  language?: string
  x: number
  y: number
  size?: number
  /**
   * Changed is the time of the last change that the server has seen, and What is the kind of that change. Both are absent if the file is committed and has not changed recently.
   */
  changed?: string
  /**
   * ChangeCreated, ChangeChanged or ChangeRenamed
   */
  what?: 'created' | 'changed' | 'renamed'
  /**
   * Committed is true if the file equals HEAD and false if it differs. The field is absent if the folder is no git repository.
   */
  committed?: boolean
  touched?: string
  commits?: number
}
/**
 * Door is a door of a room to a folder. Back is set for the door to the parent.
 */
export interface Door {
  id: string
  path: string
  name: string
  x: number
  y: number
  back?: boolean
  /**
   * number of files below the folder, on all levels
   */
  files: number
  /**
   * Changed is the time of the latest change below the folder. Uncommitted is the number of files below the folder that differ from HEAD.
   */
  changed?: string
  uncommitted?: number
  touched?: string
  commits?: number
}
/**
 * Part is the area of a room with files of one kind, sorted by name. Language is the language of all of them, "" if they have several.
 */
export interface Part {
  kind: string
  language?: string
  x: number
  y: number
  width: number
  height: number
}
/**
 * FileChange is a change of a file or folder. From is the old path of a renamed file or folder.
 */
export interface FileChange {
  path: string
  what: 'created' | 'changed' | 'renamed' | 'removed'
  from?: string
  folder?: boolean
  at: string
}
/**
 * Spectator is a person at a browser.
 */
export interface Spectator {
  spectatorId: string
  name: string
  color: string
  role: 'host' | 'spectator'
  /**
   * Path and Line are the file that the person has open and the line that they look at (P19.5); "" and 0 for none.
   */
  path?: string
  line?: number
}
/**
 * Overlays is the last frame after an attach. It has the state that no event stores: open segments by message id and walking agents by member id.
 */
export interface Overlays {
  type: 'overlays'
  segments: {
    [k: string]: Overlay
  }
  agents: {
    [k: string]: Place
  }
}
/**
 * Overlay is the text so far of an open segment. Next is the number of its next delta.
 */
export interface Overlay {
  conversationId: string
  requestId: string
  text: string
  next: number
}
/**
 * Place is the current position of a walking agent. X and Y are a tile of the agent's walk: in the room of Folder if Inside is set, otherwise on the overworld.
 */
export interface Place {
  x: number
  y: number
  realm?: string
  inside?: boolean
}
/**
 * SpectatorWelcome answers spectator:register. Seat is the secret that identifies the spectator in a later spectator:register.
 */
export interface SpectatorWelcome {
  type: 'spectator:welcome'
  requestId?: string
  spectatorId: string
  name: string
  color: string
  role: 'host' | 'spectator'
  seat: string
  /**
   * Guest is set for a host who has not sent the token of the server's link. Such a host may not answer doors (P17.8).
   */
  guest?: boolean
}
/**
 * SpectatorList lists the connected spectators, at most MaxSpectators; Count is the number of all. Unnamed is the number of connections that watch and have not registered. The server sends one SpectatorList for several changes that follow each other quickly.
 */
export interface SpectatorList {
  type: 'spectator:list'
  count: number
  unnamed?: number
  spectators: Spectator[]
  /**
   * Left has the people who left while they held a role of the process, since the realm was opened, the latest last, at most MaxLeft. They keep the role, and others wait for them.
   */
  left?: Left[]
}
/**
 * Left says when a person closed their last connection to the realm.
 */
export interface Left {
  spectatorId: string
  at: string
}
/**
 * RealmList answers player:list-realms.
 */
export interface RealmList {
  type: 'realm:list'
  requestId?: string
  realms: RealmInfo[]
  lastActiveRealmId: string
}
/**
 * RealmInfo is a row of realm:list.
 */
export interface RealmInfo {
  id: string
  name: string
  path: string
  lastExplored: string | null
  stage?: string
  status: string
  files: number
  findings: number
  bytes: number
  changesSince?: number
  /**
   * Councils is the number of councils that run or are queued.
   */
  talks?: number
  /**
   * Early is set if a person ended the realm's process before its last stage had ended.
   */
  early?: boolean
}
/**
 * RealmProgress tells the person who links a folder which part of the scan and of the opening of the realm is done.
 */
export interface RealmProgress {
  type: 'realm:progress'
  requestId?: string
  /**
   * "scanning", "opening"
   */
  phase: string
  done: number
  /**
   * the value of Done at the end, 0 if it is not known yet
   */
  total: number
}
/**
 * RealmRemoved reports that a realm was removed.
 */
export interface RealmRemoved {
  type: 'realm:removed'
  requestId?: string
  realmId: string
}
/**
 * ProcessTurn tells a person at once that the plan asks them for a turn. A client that attaches later finds the same request in the plan of the conversation (world.Ask).
 */
export interface ProcessTurn {
  type: 'process:turn'
  conversationId: string
  requestId: string
  roleId: string
  memberId: string
  until?: string
  prompt: string
}
/**
 * AgentThought is a thought of an agent, which its driver has reported. It is not stored.
 */
export interface AgentThought {
  type: 'agent:thought'
  agentId: string
  text: string
}
/**
 * ProcessProgress says how many of all files the agents of a process have read. It is not stored.
 */
export interface ProcessProgress {
  type: 'process:progress'
  conversationId: string
  read: number
  total: number
}
/**
 * ChatDelta is the next piece of an open segment's text. N counts the pieces of the segment from 0.
 */
export interface ChatDelta {
  type: 'chat.delta'
  conversationId: string
  requestId: string
  messageId: string
  n: number
  text: string
}
/**
 * AgentDetails answers player:get-agent-details. Agent is absent for a role that nobody plays now. Findings has the ids of the member's findings that are not withdrawn, Quests the ids of the quests that the member found.
 */
export interface AgentDetails {
  type: 'agent:details'
  requestId?: string
  agentId: string
  agent?: Agent
  role: string
  persona?: string
  /**
   * newest first, at most MaxDetails
   */
  insights: Insight[]
  findings: string[]
  quests: string[]
}
/**
 * Insight is a sentence that a member has learned.
 */
export interface Insight {
  area: string
  text: string
  at: string
  review?: Reviewed
}
/**
 * MapChanged reports several changes on disk in one frame, which the server does not store. Each such frame has a higher Generation. A client that reconnects has missed one if its own generation is lower than Welcome.MapGeneration. MapTree and Country are present if they changed.
 */
export interface MapChanged {
  type: 'map:changed'
  generation: number
  /**
   * Folders lists the folders whose entries have changed, or whose entries now equal or differ from HEAD. If there are more than MaxMapFolders, All is set instead.
   */
  folders: string[]
  all?: boolean
  moment?: 'commit' | 'switch' | 'away' | 'back' | 'scan'
  /**
   * for Moment: the branch, or the first line of the commit message
   */
  text?: string
  /**
   * Changes has the newest changes, at most MaxFileChanges.
   */
  changes: FileChange[]
  map: Map
  mapTree?: MapTree
  country?: Country
}
/**
 * SaveStatus reports whether events reach the disk. The server sends it at once, before the events that still wait to be committed. Board is a sentence about a failure to copy the findings for other programs, "" if that works.
 */
export interface SaveStatus {
  type: 'save:status'
  state: 'saved' | 'slow' | 'failing' | 'broken'
  seq: number
  since?: string
  message?: string
  board?: string
}
/**
 * CommandReply answers a command after its events are saved. Text is a sentence for the person. Seq is the seq of the command's first event, 0 for none.
 */
export interface CommandReply {
  type: 'command:reply'
  requestId?: string
  /**
   * the command's type
   */
  command: string
  text?: string
  seq?: number
}
/**
 * ChatRepeated answers a chat.send with a requestId that the server has already processed. Its type is chat.started, but only the sender gets it. Status is the current status of the run.
 */
export interface ChatRepeated {
  type: 'chat.started'
  conversationId: string
  requestId: string
  status: 'running' | 'done' | 'error' | 'cancelled' | 'interrupted' | 'timeout'
  message?: Message
  repeated: true
}
/**
 * Snapshot answers conversation.open with the conversation and the overlays (texts so far) of its open segments. HasMore is set if there are older rows. LastSeq is the seq of the last event that changed the conversation.
 */
export interface Snapshot {
  type: 'snapshot'
  requestId?: string
  conversationId: string
  kind: string
  title: string
  status: 'active' | 'queued' | 'paused' | 'interrupted' | 'completed' | 'abandoned' | 'failed'
  team: Team
  taskPrompt?: string
  maxTurns?: number
  createdAt: string | null
  updatedAt: string | null
  endedAt?: string
  about?: About
  /**
   * Reason explains the status, "" if the last conversation.status had no reason.
   */
  reason?: string
  /**
   * the newest rows, in order
   */
  messages: Message[]
  hasMore: boolean
  activeRuns: Run[]
  activeRun: Run | null
  lastSeq: number
  plan: Plan
  lastRun?: Run
  overlays: {
    [k: string]: Overlay
  }
}
/**
 * ConversationListed answers conversation.list.
 */
export interface ConversationListed {
  type: 'conversation.listed'
  requestId?: string
  conversations: ConversationInfo[]
  hasMore: boolean
}
/**
 * ConversationInfo is an entry of the list of conversations.
 */
export interface ConversationInfo {
  conversationId: string
  kind: string
  title: string
  status: 'active' | 'queued' | 'paused' | 'interrupted' | 'completed' | 'abandoned' | 'failed'
  team: Team
  taskPrompt?: string
  maxTurns?: number
  createdAt: string | null
  updatedAt: string | null
  endedAt?: string
  about?: About
  /**
   * Reason explains the status, "" if the last conversation.status had no reason.
   */
  reason?: string
  /**
   * number of rows of the transcript
   */
  messages: number
}
/**
 * Overtaken reports to the sender of a chat.send that a person added a row which the sender had not seen (ChatSend.SeenSeq). The transcript has both rows in the order of arrival. Own is set if the row came from another window of the sender.
 */
export interface Overtaken {
  type: 'conversation.overtaken'
  conversationId: string
  requestId?: string
  /**
   * name of the person who added the row
   */
  name: string
  own?: boolean
  /**
   * seq of the newest row that the sender had not seen
   */
  lastSeq: number
}
/**
 * TeamListed answers team:list: the teams of this server, the default first.
 */
export interface TeamListed {
  type: 'team:listed'
  requestId?: string
  teams: TeamInfo[]
}
/**
 * TeamInfo is a team and its newest sessions in this realm, at most MaxSessions.
 */
export interface TeamInfo {
  id: string
  name: string
  members: Member[]
  sessions: SessionInfo[]
}
/**
 * SessionInfo is a session that can be continued.
 */
export interface SessionInfo {
  sessionId: string
  title: string
  updatedAt: string | null
  messages: number
  summary: string
}
/**
 * SessionSaved reports that a party has stopped and all its rows are on disk (S2-16).
 */
export interface SessionSaved {
  type: 'session:saved'
  sessionId: string
  conversationId: string
}
/**
 * SkillOpened answers skill:open with the skill's files by path, including SKILL.md.
 */
export interface SkillOpened {
  type: 'skill:opened'
  requestId?: string
  name: string
  files: {
    [k: string]: string
  }
}
/**
 * Erased answers history:erase after the bytes are removed from disk.
 */
export interface Erased {
  type: 'history:receipt'
  requestId?: string
  receipt: Receipt
}
/**
 * Receipt reports what an erasure changed and what it cannot reach.
 */
export interface Receipt {
  erasureId: string
  realmId: string
  conversationId?: string
  spectatorId?: string
  requestedAt: string | null
  doneAt: string | null
  /**
   * Changed has the number of changed or removed items by kind ("events", "messages", "files", ...). Unreached has sentences about places that may still contain erased words.
   */
  changed: {
    [k: string]: number
  }
  unreached: string[]
  /**
   * Removed lists the damaged files (set aside under another name) that the erasure removed, by name below the realm's folder.
   */
  removed?: string[]
}
/**
 * SessionsListed answers session:list: the sessions of coding agents that the server follows for the realm or that the realm shows, at most MaxListed, and numbers about each program since the server's start (P17.15).
 */
export interface SessionsListed {
  type: 'session:listed'
  requestId?: string
  sessions: CodingSession[]
  programs: CodingProgram[]
}
/**
 * CodingSession is one session of a coding agent.
 */
export interface CodingSession {
  program: string
  sessionId: string
  agentId: string
  conversationId?: string
  /**
   * AgentID of the session that started this one as a sub-agent
   */
  parent?: string
  title?: string
  /**
   * working directory of the agent
   */
  dir?: string
  state?: string
  wait?: string
  source?: string
  /**
   * time since which the agent is in this state
   */
  since?: string
  /**
   * a process of the program holds the session
   */
  alive: boolean
  /**
   * words reach the session, because one of its hooks has reported
   */
  hears: boolean
  /**
   * Terminal is the command that shows the terminal of the session, "" if the session runs in no terminal that can be shown.
   */
  terminal?: string
}
/**
 * CodingProgram has numbers about one coding agent's program since the start of the server, for the person who runs the server.
 */
export interface CodingProgram {
  program: string
  /**
   * Sessions is the number of the program's sessions on this machine. For some programs it counts only a part of them.
   */
  sessions: number
  followed: number
  /**
   * records by type that the server does not know
   */
  unknown?: {
    [k: string]: number
  }
  /**
   * lines that are no JSON
   */
  broken?: number
  /**
   * records that were too long to keep
   */
  tooLong?: number
  /**
   * files and folders that could not be read
   */
  hidden?: number
  /**
   * readings that failed
   */
  errors?: number
  /**
   * readings that a realm did not take
   */
  refused?: number
  /**
   * time of the last report of one of the program's hooks
   */
  heard?: string
  /**
   * Hooks is HooksInstalled or HooksNone: whether the program's settings have hooks of this server now. It is "" if that is unknown, or if there are no hooks for the program.
   */
  hooks?: string
}
/**
 * ErrorFrame answers a frame that is malformed or refused.
 */
export interface ErrorFrame {
  type: 'error'
  requestId?: string
  code:
    | 'bad_json'
    | 'unknown_type'
    | 'bad_field'
    | 'not_found'
    | 'not_allowed'
    | 'conflict'
    | 'too_large'
    | 'rate_limited'
    | 'not_ready'
    | 'unsaved'
    | 'internal'
  message: string
}
/**
 * Hello attaches a socket to a realm. Epoch and LastSeq name the last event that the client has got. MapGeneration is the number of the map that the client shows. The server numbers the maps of an epoch from 0 (P10.6).
 */
export interface Hello {
  type: 'hello'
  requestId?: string
  protocol: number
  realmId?: string
  epoch?: string
  lastSeq?: number
  mapGeneration?: number
}
/**
 * Register identifies the person at the socket.
 */
export interface Register {
  type: 'spectator:register'
  requestId?: string
  name: string
  color: string
  seat?: string
  tab?: string
}
/**
 * ListRealms requests realm:list.
 */
export interface ListRealms {
  type: 'player:list-realms'
  requestId?: string
}
/**
 * LinkRepo creates a realm for a folder, or opens the folder's realm.
 */
export interface LinkRepo {
  type: 'player:link-repo'
  requestId?: string
  path: string
}
/**
 * ResumeRealm opens a realm and switches the sender to it.
 */
export interface ResumeRealm {
  type: 'player:resume-realm'
  requestId?: string
  realmId: string
}
/**
 * RemoveRealm deletes a realm's folder. It does not touch the linked folder.
 */
export interface RemoveRealm {
  type: 'player:remove-realm'
  requestId?: string
  realmId: string
}
/**
 * StartProcess starts a staged process in the sender's realm. If Path is set, the server links that folder first. If Bare is set, or if the sender has no realm, the server creates a realm without a linked folder, whose subject is Problem.
 */
export interface StartProcess {
  type: 'player:start-process'
  requestId?: string
  problem: string
  templateId?: string
  path?: string
  bare?: boolean
}
/**
 * TakeRole makes the sender the holder of a role of the process.
 */
export interface TakeRole {
  type: 'process:take-role'
  requestId?: string
  roleId: string
}
/**
 * PlayerCommand is a slash command, or a message to AgentID or to everybody.
 */
export interface PlayerCommand {
  type: 'player:command'
  requestId?: string
  text: string
  agentId?: string
}
/**
 * UpdateSettings changes some settings; see world.SettingRules.
 */
export interface UpdateSettings {
  type: 'player:update-settings'
  requestId?: string
  settings: SettingsPatch
}
/**
 * Settings to change; those left out stay.
 */
export interface SettingsPatch {
  maxAgents?: number
  pace?: 'watchable' | 'instant'
  autonomyMode?: 'autonomous' | 'supervised' | 'manual'
  turnTimeoutSeconds?: number
  taskMaxTurns?: number
  maxConcurrentConversations?: number
  contextWindowMessages?: number
  /**
   * AgentChats is On if councils of more than one agent are allowed (S0-B12). Tasks of one agent and chats with people are always allowed. Settings of older versions have "", which means On.
   */
  agentChats?: 'on' | 'off'
  /**
   * Shadows is Off if the server reads and shows no sessions of coding agents. "" means On, so that worlds written before this setting existed stay as they are.
   */
  shadows?: 'on' | 'off'
  /**
   * ShadowsFor is Everybody if spectators see private conversations, too (P17.16). "" means Hosts.
   */
  shadowsFor?: 'hosts' | 'everybody'
  /**
   * FilesFor is Everybody if spectators may open files of the linked folder, too (P19.2). "" means Hosts.
   */
  filesFor?: 'hosts' | 'everybody'
}
/**
 * DismissAgent removes a person from a role, or removes a member that a driver plays from the map.
 */
export interface DismissAgent {
  type: 'player:dismiss-agent'
  requestId?: string
  agentId: string
}
/**
 * SpectatorSay is the command spectator:command: a person's message to everybody.
 */
export interface SpectatorSay {
  type: 'spectator:command'
  requestId?: string
  text: string
}
/**
 * ChatSend sends a message of a person into a conversation, once per requestId. If the person has several roles whose turn it is, MemberID names the role that answers; the default is the role that was asked first.
 */
export interface ChatSend {
  type: 'chat.send'
  requestId: string
  conversationId: string
  content: string
  memberId?: string
  /**
   * SeenSeq is the seq of the newest row of a person in the sender's copy of the transcript, 0 if the server is not to check it. If the transcript has a newer row of a person, the server refuses a message with Choices. It accepts any other message and also sends conversation.overtaken to the sender.
   */
  seenSeq?: number
  /**
   * Choices are option ids of the forge's question (world.ForgeQuestion), at most MaxChoices. If the message has Choices, Content may be empty.
   */
  choices?: string[]
}
/**
 * ChatCancel stops the run with this requestId. Its text so far stays and is marked as cancelled. Cancelling an ended run changes nothing.
 */
export interface ChatCancel {
  type: 'chat.cancel'
  conversationId: string
  requestId: string
}
/**
 * ConversationStart starts a council, a chat, a forge, or a party: a new session of the team TeamID. MemberIDs are roles of the template TemplateID or, if TemplateID is empty, of the current template. If MemberIDs contains the sender's spectatorId, the sender becomes a member of the council. A council of one agent carries out a task alone. A forge and a party ignore MemberIDs. A chat with StageID is about that stage of the current process. If the requestId is repeated, nothing starts.
 */
export interface ConversationStart {
  type: 'conversation.start'
  requestId?: string
  kind: string
  memberIds: string[]
  taskPrompt?: string
  maxTurns?: number
  title?: string
  templateId?: string
  stageId?: string
  teamId?: string
}
/**
 * ConversationOpen requests a snapshot of a conversation with the newest Limit rows before the row Before or, if Before is absent, with the newest Limit rows of all. The default of Limit is ViewMessages. If Limit is 0, the snapshot has only overlays, for a client that missed deltas. StageID selects the rows of one stage.
 */
export interface ConversationOpen {
  type: 'conversation.open'
  requestId?: string
  conversationId: string
  before?: number
  limit?: number
  stageId?: string
}
/**
 * ConversationList requests conversation.listed: the Limit conversations that were updated last, 50 if Limit is 0. If Kind is set, it requests only conversations of that kind. Before and BeforeID are the time and id of the last entry of the previous page.
 */
export interface ConversationList {
  type: 'conversation.list'
  requestId?: string
  kind?: string
  before?: string
  beforeId?: string
  limit?: number
}
/**
 * ConversationAbort ends a council, a chat, a forge or a session of a party early. Its status becomes abandoned.
 */
export interface ConversationAbort {
  type: 'conversation.abort'
  requestId?: string
  conversationId: string
}
/**
 * ConversationResume continues a conversation that was paused or interrupted. In a chat it repeats the answer to the last message; in a forge it is the same as the words "go on".
 */
export interface ConversationResume {
  type: 'conversation.resume'
  requestId?: string
  conversationId: string
}
/**
 * ConversationPause makes a process, a council or a party wait after the turns under way.
 */
export interface ConversationPause {
  type: 'conversation.pause'
  requestId?: string
  conversationId: string
}
/**
 * ConversationRename sets a conversation's title.
 */
export interface ConversationRename {
  type: 'conversation.rename'
  requestId?: string
  conversationId: string
  title: string
}
/**
 * ConversationClose ends a chat, a forge or a session of a party. Its status becomes completed, and it remains readable.
 */
export interface ConversationClose {
  type: 'conversation.close'
  requestId?: string
  conversationId: string
}
/**
 * TeamList requests team:listed.
 */
export interface TeamList {
  type: 'team:list'
  requestId?: string
}
/**
 * TeamSet starts a session of a team, or continues an earlier one. It pauses the realm's current party first.
 */
export interface TeamSet {
  type: 'team:set'
  requestId?: string
  teamId: string
  resumeSessionId?: string
}
/**
 * TeamTakeMember makes the sender speak as the person MemberID of the team, or, if MemberID is empty, as the person as whom the server would take the sender's words (P14.9).
 */
export interface TeamTakeMember {
  type: 'team:take-member'
  requestId?: string
  memberId?: string
}
/**
 * SkillOpen requests skill:opened.
 */
export interface SkillOpen {
  type: 'skill:open'
  requestId?: string
  name: string
}
/**
 * SkillGive gives a member a skill: its prompts then include the skill. If Taken is set, it takes the skill away again.
 */
export interface SkillGive {
  type: 'skill:give'
  requestId?: string
  name: string
  agentId: string
  taken?: boolean
}
/**
 * HistoryErase erases a conversation, or one person's words and identity, for good. The answer is sent when the bytes are removed from disk.
 */
export interface HistoryErase {
  type: 'history:erase'
  requestId?: string
  conversationId?: string
  spectatorId?: string
}
/**
 * GetAgentDetails requests the frame agent:details about a member, or about a role that nobody plays now.
 */
export interface GetAgentDetails {
  type: 'player:get-agent-details'
  requestId?: string
  agentId: string
}
/**
 * MapRoom requests a page of a room without entering it.
 */
export interface MapRoom {
  type: 'map:room'
  requestId?: string
  path: string
  page?: number
}
/**
 * NavigateEnter moves the sender into any room. A later NavigateBack returns to the previous room.
 */
export interface NavigateEnter {
  type: 'player:navigate-enter'
  requestId?: string
  path: string
  page?: number
}
/**
 * NavigateBack moves the sender to the previous room.
 */
export interface NavigateBack {
  type: 'player:navigate-back'
  requestId?: string
}
/**
 * DoorAnswer answers the question of a coding agent (P17.8). Only the person who runs the server may send it, with the token of the server's link. Choice is one of the door's choices. Answers are the answers to the questions of a door with the choice "answer": one for each question, in their order.
 */
export interface DoorAnswer {
  type: 'door:answer'
  requestId?: string
  doorId: string
  choice: string
  answers?: string[]
}
/**
 * AgentTell sends a message of a person to a coding agent that runs in its own program (P17.14). Only the person who runs the server may send it, with the token of the server's link.
 */
export interface AgentTell {
  type: 'agent:tell'
  requestId?: string
  agentId: string
  text: string
}
/**
 * AgentStop ends the turn of a coding agent that runs in its own program, after the tool call that runs now (P17.18). Only the person who runs the server may send it, with the token of the server's link.
 */
export interface AgentStop {
  type: 'agent:stop'
  requestId?: string
  agentId: string
}
/**
 * SessionList requests session:listed (P17.15).
 */
export interface SessionList {
  type: 'session:list'
  requestId?: string
}
/**
 * FileOpen reports which file, and which line of it, the sender looks at. Path is "" if they look at none.
 */
export interface FileOpen {
  type: 'file:open'
  requestId?: string
  path: string
  line?: number
}
/**
 * FileText answers GET /api/realms/{id}/file: the text of a file of the linked folder, with secrets masked (P19.1).
 */
export interface FileText {
  path: string
  rev: string
  /**
   * Commit is the commit that is HEAD, in hex; absent without git and before the first commit.
   */
  commit?: string
  head?: string
  size: number
  lines: number
  language?: string
  test?: boolean
  vendored?: boolean
  /**
   * Text is absent if the file is no text. NotUTF8 is set if bytes that are not UTF-8 are replaced by U+FFFD in Text.
   */
  text?: string
  binary?: boolean
  notUtf8?: boolean
  /**
   * Masked has the numbers of the lines in which a secret is replaced, at most MaxMasked.
   */
  masked?: number[]
  findings: FileFinding[]
}
/**
 * FileFinding is a certain or suspected finding in a file; withdrawn findings are left out. The other fields of the finding are in the world.
 */
export interface FileFinding {
  id: string
  line?: number
}
/**
 * FilePast answers GET /api/realms/{id}/past: which commits changed a file, and who wrote its lines (P19.4).
 */
export interface FilePast {
  path: string
  commits: FileCommit[]
  /**
   * More is set if there are, or may be, older commits.
   */
  more?: boolean
  runs: FileRun[]
  /**
   * Open is the number of lines without an author, most of which are not committed.
   */
  open?: number
}
/**
 * FileCommit is a commit that changed a file.
 */
export interface FileCommit {
  commit: string
  by: string
  at: string
  subject: string
}
/**
 * FileRun is a sequence of lines that one author wrote in one commit. From and To count from 1.
 */
export interface FileRun {
  from: number
  to: number
  by: string
  at: string
}
/**
 * FilesFound answers GET /api/realms/{id}/files: the files and folders on the map that match the words of a search, the best match first (P19.8).
 */
export interface FilesFound {
  files: FoundFile[]
  /**
   * More is set if further files or folders match the words.
   */
  more?: boolean
}
/**
 * FoundFile is a file or a folder that matches the words of a search.
 */
export interface FoundFile {
  path: string
  folder?: boolean
}
/**
 * FindingAccepted answers FindingAccept: the file in the linked folder, and the line in it that accepts the finding.
 */
export interface FindingAccepted {
  path: string
  line: string
  written: boolean
}
/**
 * FindingsAccepted answers GET /api/realms/{id}/accepted: the ids of the certain and suspected findings that the file of accepted findings in the linked folder accepts, as the file is now (P19.9).
 */
export interface FindingsAccepted {
  findings: string[]
}
/**
 * Share answers GET /api/share: the links by which others come to a host's tenant (P2.7). The links are secrets.
 */
export interface Share {
  /**
   * Host and Spectator have one link for each address of the server. The first link has the address that the host has used.
   */
  host: string[]
  spectator: string[]
  /**
   * Open is set if the server has no tokens. Everybody who can reach such a server is a host, and there are no links for spectators.
   */
  open?: boolean
  /**
   * Local is set if only the server's own machine can reach the server.
   */
  local?: boolean
}
/**
 * Preview answers GET /api/offer: it has the map of the folder that the server offers, as it will look once the folder is linked (P5.1a).
 */
export interface Preview {
  /**
   * RealmID is the id that the realm gets if the folder is linked while this server runs. The terrain of the map depends on this id.
   */
  realmId: string
  name: string
  country: Country
}
