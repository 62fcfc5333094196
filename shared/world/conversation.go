package world

// Team is a cast with a name.
type Team struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Members []Member `json:"members"`
}

// Member of a team; Type is KindHuman or KindAgent.
type Member struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	Role        string `json:"role"`
	Color       string `json:"color"`
	Order       int    `json:"order"`
}

// Conversation is the head of one durable transcript. Its rows live in tables,
// never in World.
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
	// Reason explains the status, where the last conversation.status gave a reason.
	Reason string `json:"reason,omitempty"`
}

// About is the stage of a process that a chat discusses; the chat's agent knows its artifacts.
type About struct {
	ConversationID string `json:"conversationId"` // of the process
	StageID        string `json:"stageId"`
	Name           string `json:"name"`            // of the stage, as it was called
	Since          Time   `json:"since,omitempty"` // when that process began; artifacts from before it are not its own
}

// Kinds of conversations.
const (
	KindProcess = "process" // a staged process: server/process is its plan
	KindCouncil = "council" // agents take turns on a task: server/council is its plan
	KindChat    = "chat"    // a person and an agent; no plan
	KindParty   = "party"   // people and agents of a team: server/party is its plan
	KindForge   = "forge"   // a talk that makes a skill: server/forge is its plan
)

// Kinds lists all kinds.
var Kinds = []string{KindProcess, KindCouncil, KindChat, KindParty, KindForge}

// Ended reports whether the conversation is completed, abandoned or failed.
func (c *Conversation) Ended() bool {
	switch c.Status {
	case ConversationCompleted, ConversationAbandoned, ConversationFailed:
		return true
	}
	return false
}

// Member finds a member of the team, or nil.
func (c *Conversation) Member(id string) *Member {
	for i := range c.Team.Members {
		if c.Team.Members[i].ID == id {
			return &c.Team.Members[i]
		}
	}
	return nil
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

// ConversationStatuses lists all of them.
var ConversationStatuses = []string{ConversationActive, ConversationQueued, ConversationPaused, ConversationInterrupted,
	ConversationCompleted, ConversationAbandoned, ConversationFailed}

// Message is a row of a transcript. While Status is "open" it is a segment with an empty
// Content; the closed message replaces it.
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
	// SpectatorID is the person who said it, "" for a member's row.
	SpectatorID string   `json:"spectatorId,omitempty"`
	Tool        *ToolUse `json:"tool,omitempty"`
	// Seq is the seq of the event that inserted the row. Events do not carry it.
	Seq int64 `json:"seq,omitempty"`
	// Damaged reports that the stored row did not pass its checksum. Content is what can still
	// be read, possibly nothing. Events do not carry it.
	Damaged bool `json:"damaged,omitempty"`
}

// ToolUse is the tool call that a row of RoleTool records; the row's Content is the result. The
// row's status is open while the tool runs, done, error where it failed, or interrupted where
// the outcome is unknown because the server died during the call.
type ToolUse struct {
	Name  string `json:"name"`
	Input string `json:"input"` // at most MaxToolInput bytes
	// CallID is what the driver calls it, "" for none.
	CallID string `json:"callId,omitempty"`
	// Reads reports that the tool only reads, so the call may be repeated without asking a
	// person.
	Reads bool `json:"reads,omitempty"`
	// Cut reports that Content is only the beginning; conversation.open with this row alone
	// returns all of it.
	Cut bool `json:"cut,omitempty"`
}

// Bounds of a tool's row, in bytes. At most MaxToolShown of an output is shown (S4-B4); the row
// keeps up to MaxMessageText.
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

// Run is one answer to one request, identified by (ConversationID, RequestID). Turn is the slot
// of a plan that the run fills, nil where it fills none.
type Run struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MemberID       string `json:"memberId"`
	Instance       string `json:"instance,omitempty"` // memberId#n, its driver; see Instance
	Status         string `json:"status"`
	StartedAt      Time   `json:"startedAt"`
	EndedAt        Time   `json:"endedAt,omitempty"`
	LastActivityAt Time   `json:"lastActivityAt"`
	StartSeq       int64  `json:"startSeq"` // the event that began it
	Turn           *Turn  `json:"turn,omitempty"`
	Code           string `json:"code,omitempty"`   // of an error
	Reason         string `json:"reason,omitempty"` // of a cancel
	Model          string `json:"model,omitempty"`  // what answers: a model's name, or the driver's
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
	CancelPerson      = "person"
	CancelNewMessage  = "new_message"
	CancelInterrupted = "interrupted" // the server stopped or died; written at the stop or at the next start
	CancelSkipped     = "skipped"     // a person passed the turn (process:skipped fills its slot)
	CancelStage       = "stage"       // the stage ended or was restarted
	CancelDismissed   = "dismissed"   // its member left
)

// Turn is a slot of a plan that a run is to fill: in a stage of a process, or in a council
// (StageID StageRounds, Attempt 1).
type Turn struct {
	StageID string `json:"stageId"`
	RoleID  string `json:"roleId"`
	Attempt int    `json:"attempt"` // World.ProcessState.StageAttempt
	N       int    `json:"n"`       // which turn of the role in this attempt, from 1
}

// StageRounds is the StageID of a council's turns.
const StageRounds = "rounds"

// View is a conversation as a client draws it: ConversationView of the wire contract. LastRun is
// the newest run of a chat or council; conversation.resume repeats it if it was interrupted,
// failed or cancelled.
type View struct {
	Conversation
	Messages   []Message `json:"messages"` // newest window, oldest first
	HasMore    bool      `json:"hasMore"`
	ActiveRuns []Run     `json:"activeRuns"`
	ActiveRun  *Run      `json:"activeRun"`
	LastSeq    int64     `json:"lastSeq"`
	Plan       Plan      `json:"plan"`
	LastRun    *Run      `json:"lastRun,omitempty"`
}

// Plan is the part of a view that tells what the plan waits for.
type Plan struct {
	Waiting *Waiting `json:"waiting"`
	Asked   []Ask    `json:"asked"`
	// Turns is how many of MaxTurns turns a council has taken; NextMemberID speaks next, "" for
	// nobody.
	Turns        int    `json:"turns,omitempty"`
	MaxTurns     int    `json:"maxTurns,omitempty"`
	NextMemberID string `json:"nextMemberId,omitempty"`
	Forge        *Forge `json:"forge,omitempty"`
}

// Ask is a person's turn: who is asked, and what. Until is zero, because people have no time
// limit.
type Ask struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	RoleID         string `json:"roleId"`
	MemberID       string `json:"memberId"`
	Until          Time   `json:"until,omitempty"`
	Prompt         string `json:"prompt"`
}
