package world

// The requestId of a run's events is the run's own. A command's first event
// carries the command's requestId, so it is never about another run.

// ConversationStarted begins a transcript.
type ConversationStarted struct {
	Conversation Conversation `json:"conversation"`
}

// ConversationStatus changes a conversation's status.
type ConversationStatus struct {
	ConversationID string `json:"conversationId"`
	Status         string `json:"status"`
	Reason         string `json:"reason,omitempty"`
}

// ChatStarted begins a run. Message is the person's row when a person's words
// began it; a turn of a plan has Turn and no message. Status RunDone means that
// the words were taken in and no answer is owed: chat.done follows at once.
type ChatStarted struct {
	ConversationID string   `json:"conversationId"`
	RequestID      string   `json:"requestId"`
	MemberID       string   `json:"memberId"`
	Instance       string   `json:"instance,omitempty"`
	Status         string   `json:"status"`
	Message        *Message `json:"message,omitempty"`
	Turn           *Turn    `json:"turn,omitempty"`
}

// SegmentStarted inserts an open, empty assistant row.
type SegmentStarted struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	MemberID       string `json:"memberId"`
	Name           string `json:"name"`
	StageID        string `json:"stageId,omitempty"`
}

// Reasons of SegmentClosed.
const (
	ClosedByTool      = "tool"
	ClosedBySystem    = "system"
	ClosedByDone      = "done"
	ClosedByError     = "error"
	ClosedByCancel    = "cancel"
	ClosedByInterrupt = "interrupt"
)

// SegmentClosed writes a segment's whole text: what counts from now on.
type SegmentClosed struct {
	ConversationID string  `json:"conversationId"`
	RequestID      string  `json:"requestId"`
	Message        Message `json:"message"`
	Reason         string  `json:"reason"`
}

// MessageAdded inserts a row that belongs to no run's stream: a system row, or a
// person's words that ask for nothing.
type MessageAdded struct {
	ConversationID string  `json:"conversationId"`
	Message        Message `json:"message"`
}

// TurnDone is a filled slot with the counts after it.
type TurnDone struct {
	Turn
	StageTurns  int `json:"stageTurns"`
	MemberTurns int `json:"memberTurns"`
}

// ChatDone ends a run well. With Turn it filled a slot of the plan.
type ChatDone struct {
	ConversationID string    `json:"conversationId"`
	RequestID      string    `json:"requestId"`
	MemberID       string    `json:"memberId"`
	Turn           *TurnDone `json:"turn,omitempty"`
}

// ChatError ends a run badly; code is "timeout", "model", "limit", ...
type ChatError struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MemberID       string `json:"memberId"`
	Code           string `json:"code"`
	Message        string `json:"message"`
}

// Codes of ChatError.
const (
	ChatTimeout = "timeout"
	ChatModel   = "model"
	ChatLimit   = "limit"
	ChatEmpty   = "empty"
)

// ChatCancelled ends a run that was stopped.
type ChatCancelled struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MemberID       string `json:"memberId"`
	Reason         string `json:"reason"`
}

func (*ConversationStarted) EventType() string { return "conversation.started" }
func (*ConversationStatus) EventType() string  { return "conversation.status" }
func (*ChatStarted) EventType() string         { return "chat.started" }
func (*SegmentStarted) EventType() string      { return "assistant.segment.started" }
func (*SegmentClosed) EventType() string       { return "assistant.segment.closed" }
func (*MessageAdded) EventType() string        { return "message.added" }
func (*ChatDone) EventType() string            { return "chat.done" }
func (*ChatError) EventType() string           { return "chat.error" }
func (*ChatCancelled) EventType() string       { return "chat.cancelled" }

var (
	_ = register[ConversationStarted]()
	_ = register[ConversationStatus]()
	_ = register[ChatStarted]()
	_ = register[SegmentStarted]()
	_ = register[SegmentClosed]()
	_ = register[MessageAdded]()
	_ = register[ChatDone]()
	_ = register[ChatError]()
	_ = register[ChatCancelled]()
)

// Row is the person's words.
func (b *ChatStarted) Row() *Message { return b.Message }

// Row is the closed segment.
func (b *SegmentClosed) Row() *Message { return &b.Message }

// Row is the added message.
func (b *MessageAdded) Row() *Message { return &b.Message }

// RunRequestID is the run's.
func (b *ChatStarted) RunRequestID() string { return b.RequestID }

// RunRequestID is the run's.
func (b *SegmentStarted) RunRequestID() string { return b.RequestID }

// RunRequestID is the run's.
func (b *SegmentClosed) RunRequestID() string { return b.RequestID }

// RunRequestID is the run's.
func (b *ChatDone) RunRequestID() string { return b.RequestID }

// RunRequestID is the run's.
func (b *ChatError) RunRequestID() string { return b.RequestID }

// RunRequestID is the run's.
func (b *ChatCancelled) RunRequestID() string { return b.RequestID }

// Statuses of an agent on the map.
const (
	AgentIdle    = "idle"
	AgentRunning = "running"
)

func (b *ConversationStarted) apply(*World, *Event) {}

func (b *ConversationStatus) apply(*World, *Event) {}

func (b *ChatStarted) apply(w *World, _ *Event) {
	if b.Status == RunRunning {
		setStatus(w, b.MemberID, AgentRunning)
	}
}

func (b *SegmentStarted) apply(*World, *Event) {}

func (b *SegmentClosed) apply(*World, *Event) {}

func (b *MessageAdded) apply(*World, *Event) {}

func (b *ChatDone) apply(w *World, _ *Event) {
	if b.Turn != nil {
		w.ProcessState.StageTurnCounts[b.Turn.StageID] = b.Turn.StageTurns
		w.ProcessState.AgentTurnCounts[b.Turn.StageID+":"+b.MemberID] = b.Turn.MemberTurns
		setStatus(w, b.MemberID, AgentIdle)
	}
}

func (b *ChatError) apply(w *World, _ *Event) { setStatus(w, b.MemberID, AgentIdle) }

func (b *ChatCancelled) apply(w *World, _ *Event) { setStatus(w, b.MemberID, AgentIdle) }

func setStatus(w *World, id, status string) {
	if a := w.Agent(id); a != nil {
		a.Status = status
	}
}
