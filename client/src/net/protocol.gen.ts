// Generated from shared/schema.json by "make generate". Do not edit.
/* eslint-disable */

/**
 * The wire contract of Agent Dungeon. Generated from shared/wire and shared/world by scripts/schema; do not edit.
 */
export type Frame = ServerFrame | ClientFrame
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
  | ErrorFrame
/**
 * A durable event: the same bytes for everyone, live and replayed. Seq counts from 1 without a hole, at never goes back, v is the version of the fields (1 where absent), requestId the command or run it belongs to.
 */
export type EventFrame =
  | AgentActivity
  | AgentGoes
  | AgentJoined
  | AgentLeft
  | ArtifactSaved
  | SegmentClosed
  | SegmentStarted
  | ChatCancelled
  | ChatDone
  | ChatError
  | ChatStarted
  | ConversationRenamed
  | ConversationStarted
  | ConversationStatus
  | ConversationTeam
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
/**
 * Point is a tile as [x, y]; 0,0 is the top left corner.
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

/**
 * AgentActivity sets what a member is doing, "" for nothing in particular.
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
 * AgentGoes is a whole walk: in the world the agent is at its end at once, and the page draws the steps (P10.9). Worn lists the tiles whose wear the walk changes, Wear their new values.
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
   * Room lists the tiles of the way through the last room.
   */
  room: Point[]
  /**
   * The position at the end: X, Y on a page of the room of Folder if Inside, else on the overworld.
   */
  realm: string
  inside?: boolean
  page?: number
  x: number
  y: number
  arrivesAt: string | null
  target?: string
  /**
   * First reports that nobody had been in the room of Folder before.
   */
  first?: boolean
  /**
   * Stack lists the rooms through which the agent came from the overworld, the nearest last, if it is Inside at the end; at most MaxHeroStack.
   */
  stack?: string[]
}
/**
 * AgentJoined puts a member on the map, or replaces it.
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
 * Agent is a member on the map: a driver's hero, or a person in a role. ID is the member id (in a process the role id) and survives restarts; the instance is kept elsewhere.
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
   * X, Y is the tile of the agent: on a page of the room of Folder if Inside, else on the overworld, where Folder is "". Until Walk ends the agent is on its way there.
   */
  x: number
  y: number
  realm: string
  inside?: boolean
  page?: number
  walk?: Walk
  spectatorId?: string
}
/**
 * Walk is a member's newest way: over the overworld along Path, then through the room of Folder along Room. Each list has every tile from begin to end; consecutive tiles touch, also at corners. The walk ends at ArrivesAt.
 */
export interface Walk {
  path: Point[]
  room: Point[]
  startsAt: string | null
  msPerTile: number
  arrivesAt: string | null
  /**
   * the file or folder it is for, in wire form
   */
  target?: string
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
 * ArtifactSaved adds an artifact and names it in the process.
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
 * Artifact is a named text that a stage produces; prompts of later stages include it. Text holds at most MaxArtifactText bytes; Cut reports that the transcript has a longer text.
 */
export interface Artifact {
  id: string
  name: string
  stageId: string
  agentId: string
  text: string
  cut?: boolean
  at: string
  /**
   * Attempt is the stage's attempt in which it was made; 0 in older versions.
   */
  attempt?: number
}
/**
 * SegmentClosed holds a segment's whole text, which replaces all its deltas.
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
 * Message is a row of a transcript. While Status is "open" it is a segment with an empty Content; the closed message replaces it.
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
   * SpectatorID is the person who said it, "" for a member's row.
   */
  spectatorId?: string
  tool?: ToolUse
  /**
   * Seq is the seq of the event that inserted the row. Events do not carry it.
   */
  seq?: number
  /**
   * Damaged reports that the stored row did not pass its checksum. Content is what can still be read, possibly nothing. Events do not carry it.
   */
  damaged?: boolean
}
/**
 * ToolUse is the tool call that a row of RoleTool records; the row's Content is the result. The row's status is open while the tool runs, done, error where it failed, or interrupted where the outcome is unknown because the server died during the call.
 */
export interface ToolUse {
  name: string
  /**
   * at most MaxToolInput bytes
   */
  input: string
  /**
   * CallID is what the driver calls it, "" for none.
   */
  callId?: string
  /**
   * Reads reports that the tool only reads, so the call may be repeated without asking a person.
   */
  reads?: boolean
  /**
   * Cut reports that Content is only the beginning; conversation.open with this row alone returns all of it.
   */
  cut?: boolean
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
 * ChatDone ends a run successfully. With Turn the run filled a slot of the plan.
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
 * TurnDone is a filled slot with the counts that result from it.
 */
export interface TurnDone {
  stageId: string
  roleId: string
  /**
   * World.ProcessState.StageAttempt
   */
  attempt: number
  /**
   * which turn of the role in this attempt, from 1
   */
  n: number
  stageTurns: number
  memberTurns: number
}
/**
 * ChatError ends a run that failed; Code is "timeout", "model", "limit" or another.
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
 * ChatStarted begins a run. Message is the person's row if a person's words began it; a turn of a plan has Turn and no message. Status RunDone means that the words need no answer: chat.done follows immediately.
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
   * see Run
   */
  model?: string
}
/**
 * Turn is a slot of a plan that a run is to fill: in a stage of a process, or in a council (StageID StageRounds, Attempt 1).
 */
export interface Turn {
  stageId: string
  roleId: string
  /**
   * World.ProcessState.StageAttempt
   */
  attempt: number
  /**
   * which turn of the role in this attempt, from 1
   */
  n: number
}
/**
 * ConversationRenamed sets a conversation's title; SpectatorID is the person who did.
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
 * ConversationStarted begins a transcript. SpectatorID is the person who began it, "" for nobody or unknown.
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
 * Conversation is the head of one durable transcript. Its rows live in tables, never in World.
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
   * Reason explains the status, where the last conversation.status gave a reason.
   */
  reason?: string
}
/**
 * Team is a cast with a name.
 */
export interface Team {
  id: string
  name: string
  members: Member[]
}
/**
 * Member of a team; Type is KindHuman or KindAgent.
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
 * About is the stage of a process that a chat discusses; the chat's agent knows its artifacts.
 */
export interface About {
  /**
   * of the process
   */
  conversationId: string
  stageId: string
  /**
   * of the stage, as it was called
   */
  name: string
  /**
   * when that process began; artifacts from before it are not its own
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
 * ConversationTeam replaces a conversation's team, whose members may have changed since. Rows keep the names under which they were said.
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
 * FindingPosted adds a finding, or replaces the one with its id, withdrawn or not.
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
 * Finding is something that an agent or a person found. Posting the same ID replaces it.
 */
export interface Finding {
  id: string
  agentId: string
  severity: 'info' | 'low' | 'medium' | 'high' | 'critical'
  title: string
  text: string
  path: string
  line?: number
  stageId?: string
  at: string
  /**
   * Check is the rule that found it, Evidence the line at that time, Why the harm, Advice what to do. Text says the same for clients that know only Text. Empty if not given.
   */
  check?: string
  evidence?: string
  why?: string
  advice?: string
  /**
   * Withdrawn is the reason of the withdrawal, Into the finding that reports the same.
   */
  withdrawn?: string
  into?: string
  /**
   * ProcessID is the conversation of the process that was running; "" for none, and in findings of older versions.
   */
  processId?: string
}
/**
 * FindingWithdrawn withdraws a finding because it does not hold, or because another one (Into) reports the same. It stays in the world with the reason.
 */
export interface FindingWithdrawn {
  type: 'findings:withdrawn'
  seq: number
  at: string
  v?: number
  requestId?: string
  findingId: string
  /**
   * who withdrew it
   */
  agentId?: string
  reason: string
  into?: string
}
/**
 * FocusChanged sets the agent to whom a person's words go, "" for everybody. Forgets names a person whose focus is dropped to keep the bound.
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
 * ForgeStepped is a forge after a step. Context is what the forge has gathered, as one blob for the table forges; it is written in the transaction of the rows that led to it (S1-07).
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
 * Forge is the public state of a forge: its state and its question. What it has gathered is stored beside the transcript.
 */
export interface Forge {
  /**
   * one of server/forge's
   */
  state: string
  /**
   * Question waits for the person; nil while Working, and at the end.
   */
  question: ForgeQuestion | null
  /**
   * Working is what is under way: "model" or "save", "" for nothing.
   */
  working?: string
  /**
   * Skill is the skill's name so far; Known summarizes what was gathered, by topic, for the person to check.
   */
  skill?: string
  known: ForgeKnown[]
}
/**
 * ForgeQuestion is answered by words, by options (chat.send's choices), or by both.
 */
export interface ForgeQuestion {
  topic: string
  text: string
  options: ForgeOption[]
  /**
   * several options may be chosen
   */
  many?: boolean
  /**
   * an answer in words is possible too
   */
  words?: boolean
}
/**
 * ForgeOption is a button.
 */
export interface ForgeOption {
  id: string
  label: string
}
/**
 * ForgeKnown summarizes one topic: at most 8 lines of 200 bytes.
 */
export interface ForgeKnown {
  topic: string
  lines: string[]
}
/**
 * ForgeMove is one change of a forge's state, for the audit (S1-19).
 */
export interface ForgeMove {
  from: string
  to: string
  why: string
}
/**
 * FortUpdate adds or replaces a fort; Removes names the fort that it displaces.
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
 * Fort is a member's camp on the overworld. It stays when the member leaves. X, Y is its middle, GateX, GateY the walkable tile before its gate. Tiles take the biome of the nearest fort.
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
 * HistoryErased reports that conversations, or one person's words and identity, were erased (P16.3). All events before it were redacted and keep their seq; a client with an older position gets a snapshot. Folding it removes the erased rows, drafts and names. It carries outcomes, so that redacted and original events fold to the same world: see Redactor.
 */
export interface HistoryErased {
  type: 'history:erased'
  seq: number
  at: string
  v?: number
  requestId?: string
  erasureId: string
  /**
   * ConversationID or SpectatorID is what was asked for; an erasure by retention has neither.
   */
  conversationId?: string
  spectatorId?: string
  /**
   * ErasedOnRequest, ErasedByRetention
   */
  reason: string
  /**
   * Conversations were erased whole, at most MaxErasedTalks. An erasure of a person includes the chats and forges in which nobody else spoke.
   */
  conversations: string[]
  /**
   * Artifacts get this text; Findings and Quests lose their words; the forts of Forts' members lose their name.
   */
  artifacts?: ErasedText[]
  findings?: string[]
  quests?: string[]
  forts?: string[]
  /**
   * Cleared names single texts of the world that are gone: Cleared...
   */
  cleared?: string[]
}
/**
 * ErasedText is the text that remains of an artifact.
 */
export interface ErasedText {
  id: string
  text: string
}
/**
 * KnowledgeUpdated is an insight that a member has gained; it is stored in the member's vault.
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
 * Reviewed is the checkpoint of a review: what the next one compares the folder with. It stands in what a hero learned of a whole review.
 */
export interface Reviewed {
  /**
   * the head of the history, in hex
   */
  commit: string
  /**
   * names the set of checks that looked
   */
  rules: string
  /**
   * files that differed from the commit, by path
   */
  changes?: string[]
}
/**
 * MessageAdded inserts a row outside of any run: a system row, or a person's words that need no answer.
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
 * NavigationChanged sets the room where a person is and the rooms that lead back, the nearest last. Forgets names a person whose way is dropped to keep the bound.
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
 * Party is the state of a realm's party that the transcript does not have, because routing markers are not stored in rows (S2-B8). The zero value is a realm without a party. Only the current session needs one: any other is Ready-Idle when it is restored.
 */
export interface Party {
  teamId: string
  /**
   * of the session at hand, "" while idle
   */
  conversationId: string
  status: string
  /**
   * WaitingFor is the person whose words a paused party waits for, "" for anybody.
   */
  waitingFor: string
  /**
   * Executing is the item whose turn is under way, nil for none.
   */
  executing: PartyItem | null
  /**
   * at most party.MaxQueue, oldest first
   */
  queue: PartyItem[]
  teamTask: string
  /**
   * at most one for each person of the team
   */
  seats: PartySeat[]
  /**
   * the newest message, "" before the first
   */
  newest: string
  /**
   * consecutive turns in the branch of the newest message
   */
  local: number
  /**
   * turns of agents since a person spoke
   */
  turns: number
  /**
   * the number of the newest item
   */
  asked: number
  /**
   * Untold: a member has left the team of the current session and it is not yet known whether they spoke in it. session:warning follows, also after a restart.
   */
  untold?: boolean
}
/**
 * PartyItem is a request for a member's turn that waits in the queue.
 */
export interface PartyItem {
  /**
   * numbers the items of a party, from 1
   */
  n: number
  target: string
  /**
   * the message that asked
   */
  parent: string
  intent: string
}
/**
 * PartySeat says that a spectator speaks as a person of the team.
 */
export interface PartySeat {
  memberId: string
  spectatorId: string
}
/**
 * ProcessCast sets who holds a role.
 */
export interface ProcessCast {
  type: 'process:cast'
  seq: number
  at: string
  v?: number
  requestId?: string
  casting: Casting
}
/**
 * Casting says who holds a role.
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
 * ProcessCompleted ends the process; the cast of the last stage stays on the map.
 */
export interface ProcessCompleted {
  type: 'process:completed'
  seq: number
  at: string
  v?: number
  requestId?: string
  artifacts: ArtifactRef[]
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
 * ProcessError reports a failure; another event carries what the process does about it.
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
 * ProcessPaused: no turn is under way and none begins until process:resumed.
 */
export interface ProcessPaused {
  type: 'process:paused'
  seq: number
  at: string
  v?: number
  requestId?: string
  reason?: string
}
/**
 * ProcessPausing: a pause was requested and takes hold when the turns under way have ended.
 */
export interface ProcessPausing {
  type: 'process:pausing'
  seq: number
  at: string
  v?: number
  requestId?: string
}
/**
 * ProcessResumed continues a process. Approved is the gate that a person opened, in the modes that wait for one.
 */
export interface ProcessResumed {
  type: 'process:resumed'
  seq: number
  at: string
  v?: number
  requestId?: string
  approved?: string
}
/**
 * ProcessSealed: a role gave the explicit signal for the current stage.
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
 * ProcessSkipped: a person skipped the next or current turns of these roles. Each counts as a filled slot without an answer.
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
   * Skips has the number of skipped slots, by "stageId:roleId".
   */
  skips: {
    [k: string]: number
  }
}
/**
 * ProcessAdvanced ends a stage and begins the next in one event, so that a crash cannot come between (S3-22).
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
 * ProcessStarted begins a staged process; it keeps this template to its end. It clears what an earlier process left in ProcessState, but not its artifacts.
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
 * Template is a process as data: what a template file holds.
 */
export interface Template {
  id: string
  name: string
  description?: string
  roles: Role[]
  stages: Stage[]
}
/**
 * Role of a template. Its id is also the member id of who holds it.
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
   * Structure: StructSequential (in the order of Roles, round by round), StructParallel (all at once, isolated until the stage ends), StructSingle (the first of Roles alone).
   */
  structure: 'sequential' | 'parallel' | 'single'
  /**
   * Completion: CompleteTurns (each acting role Turns times) or CompleteSignal.
   */
  completion: 'turn_count' | 'explicit_signal'
  turns?: number
  /**
   * Movement is where heroes go when the stage begins: MoveOutward to their forts, MoveInward to the keep. Empty means outward in parallel stages, inward in others.
   */
  movement?: 'outward' | 'inward'
  artifacts: ArtifactSpec[]
}
/**
 * ArtifactSpec names an artifact of a stage and the role that makes it; an empty Producer means all acting roles together.
 */
export interface ArtifactSpec {
  name: string
  producer?: string
}
/**
 * ProcessWaiting sets what the process waits for; null clears it.
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
 * Waiting says what the process waits for and what a person can do about it.
 */
export interface Waiting {
  code: 'role_open' | 'approval' | 'turn_failed'
  message: string
  roleIds: string[]
  since: string | null
}
/**
 * QuestUpdate adds a quest, or replaces the one with its id.
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
 * Quest is a task that a person may take. AgentID found it; SpectatorID and Owner are the person who has taken it, empty while it is open. Note says why its finding was withdrawn, which ends a quest without an owner.
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
 * RealmCreated is the first event of a realm: where it comes from and the settings it begins with.
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
 * Realm identifies a realm. Path is the linked folder, absolute on the server's machine, or empty where none is linked.
 */
export interface Realm {
  id: string
  name: string
  path?: string
  tenant: string
}
/**
 * Settings of a realm, from the wire contract's table.
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
   * AgentChats is whether agents may begin conversations with each other, which are councils of more than one agent (S0-B12). Tasks of one agent and chats with people are always allowed. Realms of older versions have none, which means On.
   */
  agentChats?: 'on' | 'off'
}
/**
 * RealmRestored is the first event of every opening but the first: from what the realm was restored and what was lost. Realm is set if the folder was copied or moved and has another id than in its journal, Salvage if its database was damaged.
 */
export interface RealmRestored {
  type: 'realm:restored'
  seq: number
  at: string
  v?: number
  requestId?: string
  /**
   * RestoredFrom...
   */
  source: 'checkpoint' | 'previous' | 'base' | 'journal' | 'state' | 'nothing'
  /**
   * the seq that the fold reached
   */
  restoredTo: number
  interruptedRuns: number
  missingMembers: Member[]
  transcriptsLost?: boolean
  /**
   * when the restored state had been written
   */
  since?: string
  setAside?: string[]
  realm?: Realm
  salvage?: Salvage
  /**
   * Turn counts from the transcript; they replace the world's.
   */
  stageTurnCounts?: {
    [k: string]: number
  }
  agentTurnCounts?: {
    [k: string]: number
  }
  /**
   * Instances from the transcripts, for members for which the world has none or an older one: its file is of an older version, or it was folded anew.
   */
  instances?: Instance[]
}
/**
 * Salvage counts what could be read of a damaged database; the world keeps the newest. The Known numbers are the rows and events of which there is a trace, so at least the difference is lost.
 */
export interface Salvage {
  at: string
  messages: number
  messagesKnown: number
  events: number
  eventsKnown: number
  /**
   * the damaged files, in the realm's folder
   */
  setAside?: string[]
}
/**
 * Instance is the newest driver of a member: MemberID#n, where n counts a member's drivers from 1 on, across lives of the server (S0-07).
 */
export interface Instance {
  memberId: string
  instance: string
}
/**
 * SessionRestored reports that a session was restored, Ready-Idle (S2-12, S2-16). SessionID is the conversation's id.
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
 * PartyStats counts what a session holds (S2-12).
 */
export interface PartyStats {
  totalMessages: number
  /**
   * by the speaker's id
   */
  messagesByRole: {
    [k: string]: number
  }
  /**
   * milliseconds since it was created
   */
  duration: number
}
/**
 * SessionWarning reports that a restored session has speakers who are not in the team now (S2-09).
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
 * MissingMember spoke in a session and is not in the team any more.
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
 * SkillUpdated adds a skill, or replaces the one with its name.
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
 * Skill is a skill of the realm; its text is in skills/<name>/SKILL.md. Agents are the members whose prompts include it.
 */
export interface Skill {
  name: string
  description: string
  /**
   * the forge that made it, "" for one that was found
   */
  conversationId?: string
  at: string
  /**
   * member ids, at most MaxSkillAgents
   */
  agents: string[]
  /**
   * Missing: the folder is not there, so no prompt includes the skill. Its agents and its forge are kept until the folder comes back.
   */
  missing?: boolean
}
/**
 * SpectatorCommand is what a person said to everybody.
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
 * TeamReady reports that a team was set, with a restored or a new session (S2-03).
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
 * ToolEnd closes a tool's row with the result. Output holds at most MaxToolShown bytes; Cut reports that the row keeps more. Unknown means that the server died during the call, so the outcome is not known.
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
}
/**
 * ToolOutput appends output of a running tool to its row, at most MaxToolShown bytes in all. ToolEnd replaces it.
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
 * ToolStart inserts an open tool row. It is durable before the tool acts (S4-08).
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
   * of the tool
   */
  name: string
  input: string
  callId?: string
  /**
   * the tool only reads
   */
  reads?: boolean
  stageId?: string
}
/**
 * ServerInfo is the first frame of every connection, and precedes a switch to another realm.
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
   * Offer is a folder that the page suggests for linking: the server's working directory. It is empty for spectators.
   */
  offer?: string
  /**
   * Templates that player:start-process accepts. Those whose roles are all played by something on this server come first, then those with some such roles.
   */
  templates: TemplateInfo[]
  /**
   * Driver names what plays roles that no person holds: one of Driver...
   */
  driver: string
}
/**
 * TemplateInfo names a process template.
 */
export interface TemplateInfo {
  id: string
  name: string
  description: string
  roles: string[]
  stages: string[]
  /**
   * Driver names what plays the roles with Played while nobody holds them: one of Driver...
   */
  driver: 'none' | 'scout' | 'script' | 'model'
  /**
   * its roles, in order
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
   * Played is set if something on this server plays the role, so that one can talk to it.
   */
  played?: boolean
}
/**
 * Welcome answers hello. All further frames belong to its realm.
 */
export interface Welcome {
  type: 'welcome'
  realmId: string | null
  continuity: 'replay' | 'snapshot' | 'none'
  reason?: 'first' | 'unknown_epoch' | 'future' | 'diverged' | 'trimmed' | 'erased' | 'too_far' | 'damaged'
  epoch: string | null
  from: number
  to: number
  mapGeneration: number
}
/**
 * WorldState is a snapshot. The raw parts are encoded once for all clients. Recent has the newest events that readers see between the rows of a transcript (a word to everybody, a role taken, a pause): at most RecentEvents and RecentBytes, none after Seq, oldest first. Rooms has the first pages of rooms with agents in them, in the form of map:change: at most RoomsBytes.
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
 * State is a world and its land as one JSON object, as in world:state, in state.json and in the bases of a journal. Only EncodeState makes one.
 */
export interface World {
  realm: Realm
  agents: Agent[]
  map: Map
  mapTree: MapTree
  country: Country
  /**
   * by ID, at most MaxObjects
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
   * Fog and Paths are layers of the overworld: which tiles were explored, and which were walked on.
   */
  fog: Grid[]
  forts: Fort[]
  paths: Grid[]
  /**
   * Explored are the folders whose rooms a hero has entered, at most MaxExplored.
   */
  explored: string[]
  /**
   * Focus lists to whom people speak, the oldest choice first, at most MaxFocus.
   */
  focus: Focus[]
  party: Party
  /**
   * Skills are the known skills of the realm's skills folder, at most MaxSkills.
   */
  skills: Skill[]
  /**
   * Erased are the ids of erased conversations and people, the newest last, at most MaxErased. None of them may act again.
   */
  erased: string[]
  /**
   * Instances are the newest drivers of members, the one that played longest ago first, at most MaxInstances.
   */
  instances: Instance[]
  salvage?: Salvage
}
/**
 * Map is the summary of the linked folder's last scan.
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
 * MapTree is a folder with the counts of what is below it. Land has the root and two levels.
 */
export interface MapTree {
  name: string
  path: string
  files: number
  folders: number
  children: MapTree[]
}
/**
 * Country is the overworld before anybody changes it: the terrain, which follows from the realm's id alone, and the houses of folders, from the last scan.
 */
export interface Country {
  tiles: Grid
  sites: Site[]
}
/**
 * Grid is a layer of the overworld, run-length encoded. Runs are pairs of a value and a number of tiles in reading order; adjacent runs differ in value, so equal layers have equal runs. Values are 0 to 255.
 */
export interface Grid {
  name: string
  width: number
  height: number
  runs: number[]
}
/**
 * Site is a folder's house on the overworld: the root's keep in the middle, and the top-level folders around it. A folder without a site is reached through the keep. X, Y is the top left tile; DoorX, DoorY is the walkable tile before the door.
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
 * Object is a place of note: one with findings, open quests or artifacts. The fold derives it from them; no event sets it (S3-01).
 */
export interface Object {
  id: string
  /**
   * ObjectPlace and the like
   */
  kind: string
  /**
   * the last part of Path, or AgentID
   */
  name: string
  /**
   * of an ObjectPlace, in wire form; "" for the others
   */
  path: string
  /**
   * X, Y is the overworld tile of a keep or fort, absent where it has none. A place is drawn in its folder's room.
   */
  x?: number
  y?: number
  /**
   * of an ObjectFort
   */
  agentId?: string
  /**
   * Counts: findings that are not withdrawn, quests that are not done, artifacts.
   */
  findings?: number
  quests?: number
  artifacts?: number
}
/**
 * ProcessState is the state of the staged process: document 003's fields, then what the plan needs after a restart.
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
   * Skips counts slots that a person skipped, by "stageId:roleId"; no run fills them.
   */
  skips: {
    [k: string]: number
  }
  /**
   * Template is the template with which this process began; a later change of its file does not affect it.
   */
  template: Template | null
  conversationId: string
  /**
   * StageAttempt is 1 for the first attempt of a stage and grows with /restart; runs of earlier attempts fill no slot.
   */
  stageAttempt: number
  cast: Casting[]
  /**
   * Pausing: /pause was given and turns are still under way.
   */
  pausing?: boolean
  /**
   * Reason explains a pause that nobody asked for.
   */
  reason?: string
  /**
   * Approved is the gate that a person opened, in the modes supervised and manual; see process.Next.
   */
  approved?: string
  /**
   * ResumedSeq is the seq of the last /resume; failures before it no longer count.
   */
  resumedSeq?: number
  /**
   * Sealed is the explicit signal for the current stage, nil where none was given.
   */
  sealed: Seal | null
  waiting: Waiting | null
}
/**
 * Seal is an explicit signal that a stage is done.
 */
export interface Seal {
  roleId: string
  summary?: string
}
/**
 * NavigationState holds, for each person by spectatorId and each hero by member id, the current room and the rooms that lead back, the nearest last (S3-03, B29). A hero on the overworld is in neither map. A person has at most MaxNavStack rooms, a hero MaxHeroStack.
 */
export interface NavigationState {
  agentNavStacks: {
    [k: string]: string[]
  }
  agentCurrentPath: {
    [k: string]: string
  }
  /**
   * Walkers are the people in these maps, the one who walked least recently first.
   */
  walkers: string[]
}
/**
 * Focus is the member to whom a person's words go until they choose another (B21). If the member is not on the map, the words go to everybody.
 */
export interface Focus {
  spectatorId: string
  agentId: string
}
/**
 * View is a conversation as a client draws it: ConversationView of the wire contract. LastRun is the newest run of a chat or council; conversation.resume repeats it if it was interrupted, failed or cancelled.
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
   * Reason explains the status, where the last conversation.status gave a reason.
   */
  reason?: string
  /**
   * newest window, oldest first
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
 * Run is one answer to one request, identified by (ConversationID, RequestID). Turn is the slot of a plan that the run fills, nil where it fills none.
 */
export interface Run {
  conversationId: string
  requestId: string
  memberId: string
  /**
   * memberId#n, its driver; see Instance
   */
  instance?: string
  status: 'running' | 'done' | 'error' | 'cancelled' | 'interrupted' | 'timeout'
  startedAt: string | null
  endedAt?: string
  lastActivityAt: string | null
  /**
   * the event that began it
   */
  startSeq: number
  turn?: Turn
  /**
   * of an error
   */
  code?: string
  /**
   * of a cancel
   */
  reason?: string
  /**
   * what answers: a model's name, or the driver's
   */
  model?: string
}
/**
 * Plan is the part of a view that tells what the plan waits for.
 */
export interface Plan {
  waiting: Waiting | null
  asked: Ask[]
  /**
   * Turns is how many of MaxTurns turns a council has taken; NextMemberID speaks next, "" for nobody.
   */
  turns?: number
  maxTurns?: number
  nextMemberId?: string
  forge?: Forge
}
/**
 * Ask is a person's turn: who is asked, and what. Until is zero, because people have no time limit.
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
   * Back is set if player:navigate-back leads somewhere; only in answers to navigation.
   */
  back?: boolean
}
/**
 * Room is a page of a folder. Tiles that are neither wall, object nor outside are walkable floor. Walls are walls, and so are the outermost tiles except for the doors.
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
   * Gone has files and folders that were removed or moved away recently.
   */
  gone: FileChange[]
}
/**
 * Object is a thing in a room. Kind is "file", "doc", "config", "test" or "link".
 */
export interface RoomObject {
  id: string
  kind: string
  name: string
  path: string
  x: number
  y: number
  size?: number
  /**
   * Changed is when the file was last seen to change, What how. Both are absent if it is committed and has not changed recently.
   */
  changed?: string
  /**
   * ChangeCreated, ChangeChanged, ChangeRenamed
   */
  what?: 'created' | 'changed' | 'renamed'
  /**
   * Committed is set if the file equals HEAD. It is absent without git.
   */
  committed?: boolean
  touched?: string
  commits?: number
}
/**
 * Door is a door of a room; Back leads to the parent.
 */
export interface Door {
  id: string
  path: string
  name: string
  x: number
  y: number
  back?: boolean
  /**
   * below it, all levels
   */
  files: number
  /**
   * Changed is the latest change below, Uncommitted the number of files below that differ from HEAD.
   */
  changed?: string
  uncommitted?: number
  touched?: string
  commits?: number
}
/**
 * Part is the area of a room with the files of one kind.
 */
export interface Part {
  kind: string
  x: number
  y: number
  width: number
  height: number
}
/**
 * FileChange is a change of a file or folder. From is the old path of a renamed one.
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
}
/**
 * Overlays is the last frame of every attach: what is provisional at this moment.
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
 * Overlay is the text so far of an open segment and the number of its next delta.
 */
export interface Overlay {
  conversationId: string
  requestId: string
  text: string
  next: number
}
/**
 * Place is the present position of a walking agent: a tile of its walk, in the room of Folder if Inside, else on the overworld.
 */
export interface Place {
  x: number
  y: number
  realm?: string
  inside?: boolean
}
/**
 * SpectatorWelcome answers spectator:register. Seat is a secret that identifies the same spectator later.
 */
export interface SpectatorWelcome {
  type: 'spectator:welcome'
  requestId?: string
  spectatorId: string
  name: string
  color: string
  role: 'host' | 'spectator'
  seat: string
}
/**
 * SpectatorList lists who is here, at most MaxSpectators. Changes are collected before it is sent.
 */
export interface SpectatorList {
  type: 'spectator:list'
  count: number
  spectators: Spectator[]
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
   * Talks is the number of councils that run or wait for a place.
   */
  talks?: number
}
/**
 * RealmProgress reports progress to the sender of a link.
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
   * 0: not known yet
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
 * ProcessTurn reports who is asked, so that a page can say "your turn" at once. After an attach the view's plan says the same.
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
 * AgentThought is a thought of a driver. It is not stored.
 */
export interface AgentThought {
  type: 'agent:thought'
  agentId: string
  text: string
}
/**
 * ChatDelta is streamed text. N counts from 0 within the segment.
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
 * AgentDetails answers player:get-agent-details. Agent is absent for a role that nobody plays now. Findings has the ids of those that are not withdrawn, Quests of those that the member found.
 */
export interface AgentDetails {
  type: 'agent:details'
  requestId?: string
  agentId: string
  agent?: Agent
  role: string
  persona?: string
  /**
   * newest first
   */
  insights: Insight[]
  findings: string[]
  quests: string[]
}
/**
 * Insight is one thing learned.
 */
export interface Insight {
  area: string
  text: string
  at: string
  review?: Reviewed
}
/**
 * MapChanged reports changes on disk, collected over a moment. It is not stored; a page that missed one sees by the generation that its rooms are out of date. MapTree and Country are present if they changed.
 */
export interface MapChanged {
  type: 'map:changed'
  generation: number
  /**
   * Folders are those with changed entries or marks. All is set instead if there are more than MaxMapFolders.
   */
  folders: string[]
  all?: boolean
  moment?: 'commit' | 'switch' | 'away' | 'back' | 'scan'
  /**
   * of a moment: the branch, or the first line of the commit message
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
 * SaveStatus reports the state of the disk. It does not wait for commits. Board is a sentence on what is wrong with the copy of the findings for other programs, empty if nothing is.
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
 * CommandReply answers a command once its events are saved. Text is for the person; Seq is the first event, 0 if there is none.
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
 * ChatRepeated is chat.started for the sender alone: the present state of the run of a repeated request.
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
 * Snapshot answers conversation.open: a conversation with what is provisional in it now. HasMore reports whether there are older rows; LastSeq is the newest event that changed the conversation.
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
   * Reason explains the status, where the last conversation.status gave a reason.
   */
  reason?: string
  /**
   * newest window, oldest first
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
 * ConversationInfo is a row of the list of conversations.
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
   * Reason explains the status, where the last conversation.status gave a reason.
   */
  reason?: string
  /**
   * rows of its transcript
   */
  messages: number
}
/**
 * Overtaken tells the sender of a chat.send that somebody said something that they had not seen. Both rows are in the transcript in the order of arrival. Own is set if the other words came from another window of the sender.
 */
export interface Overtaken {
  type: 'conversation.overtaken'
  conversationId: string
  requestId?: string
  /**
   * who spoke
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
 * SessionSaved reports that a party came to rest and that everything said in it is on disk (S2-16).
 */
export interface SessionSaved {
  type: 'session:saved'
  sessionId: string
  conversationId: string
}
/**
 * SkillOpened answers skill:open: the skill's files by path, including SKILL.md.
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
 * Erased answers history:erase once the bytes are gone.
 */
export interface Erased {
  type: 'history:receipt'
  requestId?: string
  receipt: Receipt
}
/**
 * Receipt says what an erasure changed and what it cannot reach.
 */
export interface Receipt {
  erasureId: string
  realmId: string
  conversationId?: string
  spectatorId?: string
  requestedAt: string | null
  doneAt: string | null
  /**
   * Changed counts what was redacted or removed, by kind ("events", "messages", "files", ...). Unreached lists, as sentences, what may still hold erased words.
   */
  changed: {
    [k: string]: number
  }
  unreached: string[]
  /**
   * Removed lists files that recovery had set aside and the erasure removed, by name below the realm's folder.
   */
  removed?: string[]
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
 * Hello attaches a socket to a realm.
 */
export interface Hello {
  type: 'hello'
  requestId?: string
  protocol: number
  realmId?: string
  epoch?: string
  lastSeq?: number
}
/**
 * Register identifies the person at this socket.
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
 * ListRealms asks for realm:list.
 */
export interface ListRealms {
  type: 'player:list-realms'
  requestId?: string
}
/**
 * LinkRepo creates a realm for a folder, or opens the existing one.
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
 * StartProcess starts a staged process in the sender's realm. With Path it links that folder first. With Bare, or if the sender has no realm, it creates a realm without a folder for the problem.
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
 * TakeRole gives a role to the sender.
 */
export interface TakeRole {
  type: 'process:take-role'
  requestId?: string
  roleId: string
}
/**
 * PlayerCommand is a slash command or plain words.
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
   * AgentChats is whether agents may begin conversations with each other, which are councils of more than one agent (S0-B12). Tasks of one agent and chats with people are always allowed. Realms of older versions have none, which means On.
   */
  agentChats?: 'on' | 'off'
}
/**
 * DismissAgent frees a role or ends a driver.
 */
export interface DismissAgent {
  type: 'player:dismiss-agent'
  requestId?: string
  agentId: string
}
/**
 * SpectatorSay is spectator:command: words to everybody.
 */
export interface SpectatorSay {
  type: 'spectator:command'
  requestId?: string
  text: string
}
/**
 * ChatSend sends a person's words into a conversation, once per requestId. MemberID selects the answering role for a person who holds several roles that are asked; without it, the one that was asked first answers.
 */
export interface ChatSend {
  type: 'chat.send'
  requestId: string
  conversationId: string
  content: string
  memberId?: string
  /**
   * SeenSeq is the newest row of a person that the sender has seen. If somebody else has said something since, the words are accepted and the sender gets conversation.overtaken. 0 means no check.
   */
  seenSeq?: number
  /**
   * Choices are ids of options of the waiting question (World's Forge), at most MaxChoices. With them Content may be empty.
   */
  choices?: string[]
}
/**
 * ChatCancel stops the run of a request; its words so far stay, with a mark. requestId is the run's. Cancelling twice changes nothing.
 */
export interface ChatCancel {
  type: 'chat.cancel'
  conversationId: string
  requestId: string
}
/**
 * ConversationStart starts a council, a chat, a forge, or a new session of the team TeamID, which is a party. MemberIDs are roles of TemplateID or of the current template; the sender's spectatorId makes the sender a member of a council. A council of one agent is a task. A forge and a party have no MemberIDs. StageID makes a chat about that stage of the current process. A repeated requestId starts nothing.
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
 * ConversationOpen asks for a snapshot of a conversation: the newest Limit rows before the row at Before (its seq), or the newest of all. Limit is ViewMessages by default; 0 asks only for the overlays, after missed deltas. Stage selects rows of one stage.
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
 * ConversationList asks for conversation.listed: the newest Limit (default 50) conversations of a kind, or of all, that were updated before Before, or at Before and come after BeforeID in the list.
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
 * ConversationAbort ends a council or a chat early.
 */
export interface ConversationAbort {
  type: 'conversation.abort'
  requestId?: string
  conversationId: string
}
/**
 * ConversationResume continues a conversation that was paused or interrupted; in a chat it repeats the answer to the last words.
 */
export interface ConversationResume {
  type: 'conversation.resume'
  requestId?: string
  conversationId: string
}
/**
 * ConversationPause makes a council wait after the current turn.
 */
export interface ConversationPause {
  type: 'conversation.pause'
  requestId?: string
  conversationId: string
}
/**
 * ConversationRename sets the title.
 */
export interface ConversationRename {
  type: 'conversation.rename'
  requestId?: string
  conversationId: string
  title: string
}
/**
 * ConversationClose ends a chat; it can still be read.
 */
export interface ConversationClose {
  type: 'conversation.close'
  requestId?: string
  conversationId: string
}
/**
 * TeamList asks for team:listed.
 */
export interface TeamList {
  type: 'team:list'
  requestId?: string
}
/**
 * TeamSet starts a session of a team, or continues an earlier one. The realm's current party comes to rest first.
 */
export interface TeamSet {
  type: 'team:set'
  requestId?: string
  teamId: string
  resumeSessionId?: string
}
/**
 * TeamTakeMember makes the sender speak as a person of the team, or without a name as the first free one.
 */
export interface TeamTakeMember {
  type: 'team:take-member'
  requestId?: string
  memberId?: string
}
/**
 * SkillOpen asks for skill:opened.
 */
export interface SkillOpen {
  type: 'skill:open'
  requestId?: string
  name: string
}
/**
 * SkillGive gives a skill to a member for its further turns, or with Taken takes it away.
 */
export interface SkillGive {
  type: 'skill:give'
  requestId?: string
  name: string
  agentId: string
  taken?: boolean
}
/**
 * HistoryErase erases a conversation, or one person's words and identity, for good. The answer comes once the bytes are gone.
 */
export interface HistoryErase {
  type: 'history:erase'
  requestId?: string
  conversationId?: string
  spectatorId?: string
}
/**
 * GetAgentDetails asks for what is known of a member, also for a role that nobody plays now.
 */
export interface GetAgentDetails {
  type: 'player:get-agent-details'
  requestId?: string
  agentId: string
}
/**
 * MapRoom asks for a page of a room without entering it.
 */
export interface MapRoom {
  type: 'map:room'
  requestId?: string
  path: string
  page?: number
}
/**
 * NavigateEnter moves the sender into a room, next to the present one or any other. The present room is added to the way back.
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
