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
}

// KindProcess is the conversation kind of a staged process.
const KindProcess = "process"

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

// Message is a row of a transcript. While Status is "open" it is a segment and
// Content is empty; the closed message is what counts.
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
}

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

// Run is one answer to one request, keyed (ConversationID, RequestID). Turn says
// which slot of a plan it is for, if any.
type Run struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MemberID       string `json:"memberId"`
	Instance       string `json:"instance,omitempty"` // memberId#n, this life's driver
	Status         string `json:"status"`
	StartedAt      Time   `json:"startedAt"`
	EndedAt        Time   `json:"endedAt,omitempty"`
	LastActivityAt Time   `json:"lastActivityAt"`
	StartSeq       int64  `json:"startSeq"` // the event that began it
	Turn           *Turn  `json:"turn,omitempty"`
	Code           string `json:"code,omitempty"`   // of an error
	Reason         string `json:"reason,omitempty"` // of a cancel
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
	CancelInterrupted = "interrupted" // the server went away; told at the next start
	CancelSkipped     = "skipped"     // a person passed the turn (process:skipped fills its slot)
	CancelStage       = "stage"       // the stage ended or began again under it
	CancelDismissed   = "dismissed"   // its member left
)

// Turn is a slot of a process stage that a run is meant to fill.
type Turn struct {
	StageID string `json:"stageId"`
	RoleID  string `json:"roleId"`
	Attempt int    `json:"attempt"` // World.ProcessState.StageAttempt
	N       int    `json:"n"`       // the role's how many-eth turn of this attempt, from 1
}

// View is a conversation ready to draw: ConversationView of the wire contract.
type View struct {
	Conversation
	Messages   []Message         `json:"messages"` // newest window, oldest first
	HasMore    bool              `json:"hasMore"`
	ActiveRuns []Run             `json:"activeRuns"`
	ActiveRun  *Run              `json:"activeRun"`
	LastSeq    int64             `json:"lastSeq"`
	Plan       Plan              `json:"plan"`
	Overlays   map[string]string `json:"overlays,omitempty"`
}

// Plan says in a view what the plan waits for.
type Plan struct {
	Waiting *Waiting `json:"waiting"`
	Asked   []Ask    `json:"asked"`
}

// Ask is a person's turn: who is asked for what. Until is zero where no time
// limit applies: people are not cut off.
type Ask struct {
	RequestID string `json:"requestId"`
	RoleID    string `json:"roleId"`
	MemberID  string `json:"memberId"`
	Until     Time   `json:"until,omitempty"`
	Prompt    string `json:"prompt"`
}
