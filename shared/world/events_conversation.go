package world

// Events of a run carry the run's requestId. The first event of a command carries the command's
// requestId, so a command never begins with an event of another run.

// ConversationStarted begins a transcript. SpectatorID is the person who began it, "" for nobody
// or unknown.
type ConversationStarted struct {
	Conversation Conversation `json:"conversation"`
	SpectatorID  string       `json:"spectatorId,omitempty"`
}

// ConversationStatus changes a conversation's status.
type ConversationStatus struct {
	ConversationID string `json:"conversationId"`
	Status         string `json:"status"`
	Reason         string `json:"reason,omitempty"`
}

// ConversationRenamed sets a conversation's title; SpectatorID is the person who did.
type ConversationRenamed struct {
	ConversationID string `json:"conversationId"`
	Title          string `json:"title"`
	SpectatorID    string `json:"spectatorId,omitempty"`
}

// ChatStarted begins a run. Message is the person's row if a person's words began it; a turn of
// a plan has Turn and no message. Status RunDone means that the words need no answer: chat.done
// follows immediately.
type ChatStarted struct {
	ConversationID string   `json:"conversationId"`
	RequestID      string   `json:"requestId"`
	MemberID       string   `json:"memberId"`
	Instance       string   `json:"instance,omitempty"`
	Status         string   `json:"status"`
	Message        *Message `json:"message,omitempty"`
	Turn           *Turn    `json:"turn,omitempty"`
	Model          string   `json:"model,omitempty"` // see Run
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

// SegmentClosed holds a segment's whole text, which replaces all its deltas.
type SegmentClosed struct {
	ConversationID string  `json:"conversationId"`
	RequestID      string  `json:"requestId"`
	Message        Message `json:"message"`
	Reason         string  `json:"reason"`
}

// MessageAdded inserts a row outside of any run: a system row, or a person's words that need no
// answer.
type MessageAdded struct {
	ConversationID string  `json:"conversationId"`
	Message        Message `json:"message"`
}

// ToolStart inserts an open tool row. It is durable before the tool acts (S4-08).
type ToolStart struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	MemberID       string `json:"memberId"`
	MemberName     string `json:"memberName"`
	Name           string `json:"name"` // of the tool
	Input          string `json:"input"`
	CallID         string `json:"callId,omitempty"`
	Reads          bool   `json:"reads,omitempty"` // the tool only reads
	StageID        string `json:"stageId,omitempty"`
}

// ToolOutput appends output of a running tool to its row, at most MaxToolShown bytes in all.
// ToolEnd replaces it.
type ToolOutput struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	Text           string `json:"text"`
}

// ToolEnd closes a tool's row with the result. Output holds at most MaxToolShown bytes; Cut
// reports that the row keeps more. Unknown means that the server died during the call, so the
// outcome is not known.
type ToolEnd struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	OK             bool   `json:"ok"`
	Output         string `json:"output"`
	Cut            bool   `json:"cut,omitempty"`
	Unknown        bool   `json:"unknown,omitempty"`
	// Full is the whole output, where Output is cut: for the transcript's table alone.
	Full string `json:"-"`
}

// Status of the row after the end.
func (b *ToolEnd) Status() string {
	switch {
	case b.Unknown:
		return MessageInterrupted
	case b.OK:
		return MessageDone
	}
	return MessageError
}

// ToolRow returns the tool's open row.
func (b *ToolStart) ToolRow(at Time) Message {
	return Message{
		MessageID: b.MessageID, ConversationID: b.ConversationID, RequestID: b.RequestID, Role: RoleTool,
		MemberID: b.MemberID,
		Name:     b.MemberName, StageID: b.StageID, Status: MessageOpen, At: at,
		Tool: &ToolUse{Name: b.Name, Input: b.Input, CallID: b.CallID, Reads: b.Reads},
	}
}

// TurnDone is a filled slot with the counts that result from it.
type TurnDone struct {
	Turn
	StageTurns  int `json:"stageTurns"`
	MemberTurns int `json:"memberTurns"`
}

// ChatDone ends a run successfully. With Turn the run filled a slot of the plan.
type ChatDone struct {
	ConversationID string    `json:"conversationId"`
	RequestID      string    `json:"requestId"`
	MemberID       string    `json:"memberId"`
	Turn           *TurnDone `json:"turn,omitempty"`
}

// ChatError ends a run that failed; Code is "timeout", "model", "limit" or another.
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
func (*ConversationRenamed) EventType() string { return "conversation.renamed" }
func (*ToolStart) EventType() string           { return "tool.start" }
func (*ToolOutput) EventType() string          { return "tool.output" }
func (*ToolEnd) EventType() string             { return "tool.end" }
func (*ChatDone) EventType() string            { return "chat.done" }
func (*ChatError) EventType() string           { return "chat.error" }
func (*ChatCancelled) EventType() string       { return "chat.cancelled" }

var (
	_ = register(facts[ConversationStarted]{
		talk: func(b *ConversationStarted) string { return b.Conversation.ConversationID },
		audit: func(b *ConversationStarted) AuditNote {
			c := &b.Conversation
			return AuditNote{ConversationID: c.ConversationID, After: c.Status, Note: c.Kind}
		},
		changes: func(b *ConversationStarted, _ *Event) []Change { return []Change{Began{b.Conversation}} },
		personal: rule(inConversation, inConversation, func(r *Redactor, b *ConversationStarted, _ *Event) {
			r.head(&b.Conversation, b.SpectatorID == r.person && r.person != "")
		}),
	})
	_ = register(facts[ConversationStatus]{
		talk: func(b *ConversationStatus) string { return b.ConversationID },
		audit: func(b *ConversationStatus) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, After: b.Status, Changed: true}
		},
		changes: func(b *ConversationStatus, _ *Event) []Change { return []Change{StatusSet{b.Status, b.Reason}} },
		personal: rule([]string{"reason"}, []string{"reason"}, func(r *Redactor, b *ConversationStatus, _ *Event) {
			r.said(b.ConversationID, &b.Reason)
		}),
	})
	_ = register(facts[ConversationRenamed]{
		talk:    func(b *ConversationRenamed) string { return b.ConversationID },
		audit:   func(b *ConversationRenamed) AuditNote { return AuditNote{ConversationID: b.ConversationID} },
		changes: func(b *ConversationRenamed, _ *Event) []Change { return []Change{TitleSet{b.Title}} },
		personal: rule([]string{"title"}, []string{"title"}, func(r *Redactor, b *ConversationRenamed, _ *Event) {
			if r.talks[b.ConversationID] || b.SpectatorID == r.person && r.person != "" {
				r.put(&b.Title, ErasedName)
			}
			r.put(&b.Title, r.unnamed(b.Title))
		}),
	})
	_ = register(facts[ChatStarted]{
		talk: func(b *ChatStarted) string { return b.ConversationID },
		changes: func(b *ChatStarted, ev *Event) []Change {
			out := []Change{RunBegan{Run{
				ConversationID: b.ConversationID, RequestID: b.RequestID, MemberID: b.MemberID, Instance: b.Instance,
				Model: b.Model, Status: b.Status, StartedAt: ev.At, LastActivityAt: ev.At, StartSeq: ev.Seq, Turn: b.Turn,
			}}}
			if b.Message != nil {
				out = append(out, RowAdded{Row: *b.Message, Said: true})
			}
			return out
		},
		personal: rule(row, row, func(r *Redactor, b *ChatStarted, _ *Event) {
			if b.Message != nil {
				r.Row(b.Message)
			}
		}),
	})
	_ = register(facts[SegmentStarted]{
		talk: func(b *SegmentStarted) string { return b.ConversationID },
		changes: func(b *SegmentStarted, ev *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowAdded{Row: Message{
				MessageID: b.MessageID, ConversationID: b.ConversationID, RequestID: b.RequestID, Role: RoleAssistant,
				MemberID: b.MemberID, Name: b.Name, StageID: b.StageID, Status: MessageOpen, At: ev.At,
			}}}
		},
		personal: none("the row is empty and an agent's"),
	})
	_ = register(facts[SegmentClosed]{
		talk: func(b *SegmentClosed) string { return b.ConversationID },
		changes: func(b *SegmentClosed, _ *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowClosed{b.Message}}
		},
		personal: rule(row, row, func(r *Redactor, b *SegmentClosed, _ *Event) { r.Row(&b.Message) }),
	})
	_ = register(facts[MessageAdded]{
		talk:     func(b *MessageAdded) string { return b.ConversationID },
		changes:  func(b *MessageAdded, _ *Event) []Change { return []Change{RowAdded{Row: b.Message}} },
		personal: rule(row, row, func(r *Redactor, b *MessageAdded, _ *Event) { r.Row(&b.Message) }),
	})
	_ = register(facts[ToolStart]{
		talk: func(b *ToolStart) string { return b.ConversationID },
		changes: func(b *ToolStart, ev *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowAdded{Row: b.ToolRow(ev.At)}}
		},
		personal: rule([]string{"input"}, []string{"input"}, func(r *Redactor, b *ToolStart, _ *Event) {
			r.spoken(b.ConversationID, &b.Input)
		}),
	})
	_ = register(facts[ToolOutput]{
		talk: func(b *ToolOutput) string { return b.ConversationID },
		changes: func(b *ToolOutput, _ *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowExtended{b.MessageID, b.Text}}
		},
		personal: rule([]string{"text"}, []string{"text"}, func(r *Redactor, b *ToolOutput, _ *Event) {
			r.spoken(b.ConversationID, &b.Text)
		}),
	})
	_ = register(facts[ToolEnd]{
		talk:    func(b *ToolEnd) string { return b.ConversationID },
		changes: func(b *ToolEnd, _ *Event) []Change { return []Change{RunActive{b.RequestID}, ToolClosed{b}} },
		personal: rule([]string{"output"}, []string{"output"}, func(r *Redactor, b *ToolEnd, _ *Event) {
			r.spoken(b.ConversationID, &b.Output)
		}),
	})
	_ = register(facts[ChatDone]{
		talk: func(b *ChatDone) string { return b.ConversationID },
		changes: func(b *ChatDone, _ *Event) []Change {
			return []Change{RunEnded{RequestID: b.RequestID, Status: RunDone}}
		},
		personal: none("counts and ids"),
	})
	_ = register(facts[ChatError]{
		talk: func(b *ChatError) string { return b.ConversationID },
		changes: func(b *ChatError, _ *Event) []Change {
			end := RunEnded{RequestID: b.RequestID, Status: RunError, Code: b.Code}
			if b.Code == ChatTimeout {
				end.Status = RunTimeout
			}
			return []Change{end}
		},
		between: true,
		personal: rule([]string{"message"}, []string{"message"}, func(r *Redactor, b *ChatError, _ *Event) {
			r.said(b.ConversationID, &b.Message)
		}),
	})
	_ = register(facts[ChatCancelled]{
		talk: func(b *ChatCancelled) string { return b.ConversationID },
		changes: func(b *ChatCancelled, _ *Event) []Change {
			end := RunEnded{RequestID: b.RequestID, Status: RunCancelled, Reason: b.Reason}
			if b.Reason == CancelInterrupted {
				end.Status = RunInterrupted
			}
			return []Change{end}
		},
		between:  true,
		personal: none("its reason is one of ours"),
	})
)

// Row returns the person's words.
func (b *ChatStarted) Row() *Message { return b.Message }

// Row returns the closed segment.
func (b *SegmentClosed) Row() *Message { return &b.Message }

// Row returns the added message.
func (b *MessageAdded) Row() *Message { return &b.Message }

// RunRequestID returns the requestId of the run.
func (b *ChatStarted) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *SegmentStarted) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *SegmentClosed) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *ToolStart) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *ToolOutput) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *ToolEnd) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *ChatDone) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
func (b *ChatError) RunRequestID() string { return b.RequestID }

// RunRequestID returns the requestId of the run.
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
	if b.Instance != "" {
		w.played(b.MemberID, b.Instance)
	}
}

func (b *SegmentStarted) apply(*World, *Event) {}

func (b *SegmentClosed) apply(*World, *Event) {}

func (b *MessageAdded) apply(*World, *Event) {}

func (b *ConversationRenamed) apply(*World, *Event) {}

func (b *ToolStart) apply(*World, *Event) {}

func (b *ToolOutput) apply(*World, *Event) {}

func (b *ToolEnd) apply(*World, *Event) {}

func (b *ChatDone) apply(w *World, _ *Event) {
	if b.Turn != nil && b.ConversationID == w.ProcessState.ConversationID {
		w.ProcessState.StageTurnCounts[b.Turn.StageID] = b.Turn.StageTurns
		w.ProcessState.AgentTurnCounts[b.Turn.StageID+":"+b.MemberID] = b.Turn.MemberTurns
	}
	setStatus(w, b.MemberID, AgentIdle)
}

func (b *ChatError) apply(w *World, _ *Event) { setStatus(w, b.MemberID, AgentIdle) }

func (b *ChatCancelled) apply(w *World, _ *Event) { setStatus(w, b.MemberID, AgentIdle) }

func setStatus(w *World, id, status string) {
	if a := w.Agent(id); a != nil {
		a.Status = status
	}
}
