package world

// Team is a named list of members.
type Team struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Members []Member `json:"members"`
}

// Member is a member of a team. Type is KindHuman or KindAgent.
type Member struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	Role        string `json:"role"`
	Color       string `json:"color"`
	Order       int    `json:"order"`
}

// Conversation is the head of a transcript: everything except its rows, which are in tables of the database and not
// in World.
type Conversation struct {
	ConversationID string `json:"conversationId"`
	Kind           string `json:"kind"`
	Title          string `json:"title"`
	Status         string `json:"status"`
	Team           Team   `json:"team"`
	TaskPrompt     string `json:"taskPrompt,omitempty"`
	MaxTurns       int    `json:"maxTurns,omitempty"`
	CreatedAt      Time   `json:"createdAt"`
	UpdatedAt      Time   `json:"updatedAt"`
	EndedAt        Time   `json:"endedAt,omitempty"`
	About          *About `json:"about,omitempty"`
	// Reason explains the status, "" if the last conversation.status had no reason.
	Reason string `json:"reason,omitempty"`
}

// About is the stage of a process that a chat discusses. The prompts of the chat include the
// stage's artifacts.
type About struct {
	ConversationID string `json:"conversationId"` // id of the process
	StageID        string `json:"stageId"`
	Name           string `json:"name"`            // name of the stage when the chat began
	Since          Time   `json:"since,omitempty"` // start of the process; the chat includes no older artifacts
}

// Kinds of conversations.
const (
	KindProcess = "process" // a staged process: server/process is its plan
	KindCouncil = "council" // agents take turns on a task: server/council is its plan
	KindChat    = "chat"    // a person and an agent; no plan
	KindParty   = "party"   // people and agents of a team: server/party is its plan
	KindForge   = "forge"   // a person makes a skill with the smith: server/forge is its plan
	KindCoding  = "coding"  // a session of a coding agent that a person runs: server/coding
)

// Kinds lists all kinds of conversations.
var Kinds = []string{KindProcess, KindCouncil, KindChat, KindParty, KindForge, KindCoding}

// Ended reports whether the conversation is completed, abandoned or failed.
func (c *Conversation) Ended() bool {
	switch c.Status {
	case ConversationCompleted, ConversationAbandoned, ConversationFailed:
		return true
	}
	return false
}

// Member returns the member of the team with that id, or nil.
func (c *Conversation) Member(id string) *Member {
	return find(c.Team.Members, func(m *Member) bool { return m.ID == id })
}

// Statuses of a conversation.
const (
	ConversationActive      = "active"
	ConversationQueued      = "queued"
	ConversationPaused      = "paused"
	ConversationInterrupted = "interrupted"
	ConversationCompleted   = "completed"
	ConversationAbandoned   = "abandoned"
	ConversationFailed      = "failed"
)

// ConversationStatuses lists all statuses of a conversation.
var ConversationStatuses = []string{ConversationActive, ConversationQueued, ConversationPaused, ConversationInterrupted,
	ConversationCompleted, ConversationAbandoned, ConversationFailed}

// Message is a row of a transcript. While Status is MessageOpen, Content is empty or, in the row of a tool, the
// output so far. The event that closes the row replaces Content.
type Message struct {
	MessageID      string `json:"messageId"`
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId,omitempty"`
	Role           string `json:"role"`
	MemberID       string `json:"memberId"`
	Name           string `json:"name"`
	StageID        string `json:"stageId,omitempty"`
	Content        string `json:"content"`
	Status         string `json:"status"`
	At             Time   `json:"at"`
	// SpectatorID is the person who wrote the row, "" for rows of agents, tools and the server.
	SpectatorID string   `json:"spectatorId,omitempty"`
	Tool        *ToolUse `json:"tool,omitempty"`
	// Seq is the seq of the event that inserted the row. Events do not carry it.
	Seq int64 `json:"seq,omitempty"`
	// Damaged is set if the checksum of the stored row is wrong. Content is then what can be read, possibly "". Events do
	// not carry it.
	Damaged bool `json:"damaged,omitempty"`
}

// ToolUse is the tool call of a row with RoleTool, whose Content is the result. The row's Status
// is MessageOpen while the tool runs, then MessageDone, MessageError if it failed, or
// MessageInterrupted if the outcome is unknown because the server died during the call.
type ToolUse struct {
	Name  string `json:"name"`
	Input string `json:"input"` // at most MaxToolInput bytes
	// CallID is the driver's id of the call, "" for none.
	CallID string `json:"callId,omitempty"`
	// Reads is set if the tool only reads, so that the call can be repeated without asking a
	// person.
	Reads bool `json:"reads,omitempty"`
	// Withheld is set if the output is not stored, because git ignores a file that the call names (P17.9).
	Withheld bool `json:"withheld,omitempty"`
	// Files has the known files below the linked folder that the call reads or edits: at most MaxToolFiles.
	Files []ToolFile `json:"files,omitempty"`
	// Cut is set if Content is only the beginning of the output. A conversation.open for this
	// row alone returns the whole output.
	Cut bool `json:"cut,omitempty"`
	// Refused is set if a person refused the call, so that it did not run. The row's Status is MessageError then.
	Refused bool `json:"refused,omitempty"`
	// Tests says how the tests ended that the call has run: one of TestsPassed and so on, "" if it ran none.
	Tests string `json:"tests,omitempty"`
}

// Values of ToolUse.Tests.
const (
	TestsPassed  = "passed"
	TestsFailed  = "failed"
	TestsUnclear = "unclear" // neither the status nor the output of the command says it
)

// ToolFile is a file that a tool call of a coding agent reads or edits.
type ToolFile struct {
	Path     string `json:"path"` // relative to the linked folder, at most MaxTouchedPath bytes
	Edits    bool   `json:"edits,omitempty"`
	Worktree string `json:"worktree,omitempty"` // the other worktree in which the file lies; see FileTouch
}

// MaxToolFiles is the maximum number of files that are recorded for a tool call.
const MaxToolFiles = 32

// Limits of the row of a tool call, in bytes. Clients get at most MaxToolShown bytes of an output (S4-B4). The
// stored row has up to MaxMessageText bytes.
const (
	MaxToolInput = 16 << 10
	MaxToolShown = 20_000
)

// Roles and statuses of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	RoleSystem    = "system"

	MessageOpen        = "open"
	MessageDone        = "done"
	MessageCancelled   = "cancelled"
	MessageInterrupted = "interrupted"
	MessageError       = "error"
)

// Run is one answer to one request, identified by (ConversationID, RequestID). Turn is the turn
// of a plan that the run plays, nil for none.
type Run struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MemberID       string `json:"memberId"`
	Instance       string `json:"instance,omitempty"` // the driver that plays the run, as memberId#n; see Instance
	Status         string `json:"status"`
	StartedAt      Time   `json:"startedAt"`
	EndedAt        Time   `json:"endedAt,omitempty"`
	LastActivityAt Time   `json:"lastActivityAt"`
	StartSeq       int64  `json:"startSeq"` // seq of the first event of the run
	Turn           *Turn  `json:"turn,omitempty"`
	Code           string `json:"code,omitempty"`   // the code of chat.error
	Reason         string `json:"reason,omitempty"` // the reason of chat.cancelled
	Model          string `json:"model,omitempty"`  // name of the model that answers, or of the driver
}

// Statuses of a run.
const (
	RunRunning     = "running"
	RunDone        = "done"
	RunError       = "error"
	RunCancelled   = "cancelled"
	RunInterrupted = "interrupted"
	RunTimeout     = "timeout"
)

// Reasons of chat.cancelled.
const (
	CancelPerson     = "person"
	CancelNewMessage = "new_message"
	// The server has stopped or crashed. It writes this reason when it stops or, after a crash, at its next start.
	CancelInterrupted = "interrupted"
	CancelSkipped     = "skipped"   // the member has passed the turn, or a person has skipped it; see ProcessSkipped
	CancelStage       = "stage"     // the stage ended or was restarted
	CancelDismissed   = "dismissed" // the member left
)

// Turn identifies a turn of a plan. In a process, StageID is the stage of the turn. In a council, StageID is
// StageRounds; in a party, it is StageRouted. In both, Attempt is 1.
type Turn struct {
	StageID string `json:"stageId"`
	RoleID  string `json:"roleId"`
	Attempt int    `json:"attempt"` // World.ProcessState.StageAttempt
	N       int    `json:"n"`       // number of the role's turn in this attempt, from 1
}

// StageRounds is the StageID of a council's turns.
const StageRounds = "rounds"

// View is a conversation as clients get it (ConversationView of the wire contract). LastRun is the newest run of a
// chat or council. If that run was interrupted, failed or cancelled, conversation.resume repeats it.
type View struct {
	Conversation
	Messages   []Message `json:"messages"` // the newest rows, in order
	HasMore    bool      `json:"hasMore"`
	ActiveRuns []Run     `json:"activeRuns"`
	ActiveRun  *Run      `json:"activeRun"`
	LastSeq    int64     `json:"lastSeq"`
	Plan       Plan      `json:"plan"`
	LastRun    *Run      `json:"lastRun,omitempty"`
}

// Plan is the state of a conversation's plan as clients see it in a View.
type Plan struct {
	Waiting *Waiting `json:"waiting"`
	Asked   []Ask    `json:"asked"`
	// Turns is the number of turns that a council has taken so far, MaxTurns the limit of that number. NextMemberID is
	// the member who speaks next, "" for none.
	Turns        int    `json:"turns,omitempty"`
	MaxTurns     int    `json:"maxTurns,omitempty"`
	NextMemberID string `json:"nextMemberId,omitempty"`
	Forge        *Forge `json:"forge,omitempty"`
}

// Ask is the request for a person's turn. Until is 0, because people have no time limit.
type Ask struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	RoleID         string `json:"roleId"`
	MemberID       string `json:"memberId"`
	Until          Time   `json:"until,omitempty"`
	Prompt         string `json:"prompt"`
}
