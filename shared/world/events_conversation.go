package world

// An event of a run has the run's requestId, and the first event of a command has the command's. So an event of a run
// is the first event of a command only if both are the same.

// ConversationStarted begins a transcript. SpectatorID is the person who began it, "" if no person
// did or if it is unknown.
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

// ConversationRenamed sets a conversation's title. SpectatorID is the person who set it.
type ConversationRenamed struct {
	ConversationID string `json:"conversationId"`
	Title          string `json:"title"`
	SpectatorID    string `json:"spectatorId,omitempty"`
}

// ChatStarted begins a run. Message is the row of the person's message that began the run, nil if no message did. Turn
// is the turn of a plan that the run plays, nil for none. Status is RunDone if the message needs no answer; ChatDone
// follows immediately.
type ChatStarted struct {
	ConversationID string   `json:"conversationId"`
	RequestID      string   `json:"requestId"`
	MemberID       string   `json:"memberId"`
	Instance       string   `json:"instance,omitempty"`
	Status         string   `json:"status"`
	Message        *Message `json:"message,omitempty"`
	Turn           *Turn    `json:"turn,omitempty"`
	Model          string   `json:"model,omitempty"` // the model that answers; see Run.Model
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

// SegmentClosed closes a segment. Message holds the whole text of the segment, which replaces all
// deltas.
type SegmentClosed struct {
	ConversationID string  `json:"conversationId"`
	RequestID      string  `json:"requestId"`
	Message        Message `json:"message"`
	Reason         string  `json:"reason"`
}

// MessageAdded inserts a row outside of any run: a system row, or a message of a person that needs
// no answer.
type MessageAdded struct {
	ConversationID string  `json:"conversationId"`
	Message        Message `json:"message"`
}

// ToolStart inserts the open row of a tool call. It is durable before the tool acts (S4-08).
type ToolStart struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	MemberID       string `json:"memberId"`
	MemberName     string `json:"memberName"`
	Name           string `json:"name"` // name of the tool
	Input          string `json:"input"`
	CallID         string `json:"callId,omitempty"`
	Reads          bool   `json:"reads,omitempty"` // set if the tool only reads
	StageID        string `json:"stageId,omitempty"`
}

// ToolOutput appends output of a running tool to its row, at most MaxToolShown bytes in total.
// ToolEnd replaces that output.
type ToolOutput struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	Text           string `json:"text"`
}

// ToolEnd closes a tool's row with the result. Output holds at most MaxToolShown bytes; Cut is set
// if the stored row holds more. Unknown is set if the server died during the call, so that its
// outcome is unknown. Refused is set if OK is not, because a person refused the call.
type ToolEnd struct {
	ConversationID string `json:"conversationId"`
	RequestID      string `json:"requestId"`
	MessageID      string `json:"messageId"`
	OK             bool   `json:"ok"`
	Output         string `json:"output"`
	Cut            bool   `json:"cut,omitempty"`
	Unknown        bool   `json:"unknown,omitempty"`
	Refused        bool   `json:"refused,omitempty"`
	Tests          string `json:"tests,omitempty"` // see ToolUse.Tests
	// Full is the whole output if Output is cut. Only the table of the transcript stores it.
	Full string `json:"-"`
}

// Status returns the final status of the row.
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

// TurnDone is a turn that has ended, with the numbers of turns that now count in its stage and for its member.
type TurnDone struct {
	Turn
	StageTurns  int `json:"stageTurns"`
	MemberTurns int `json:"memberTurns"`
}

// ChatDone ends a run successfully. Turn is set if the run was a turn of a plan.
type ChatDone struct {
	ConversationID string    `json:"conversationId"`
	RequestID      string    `json:"requestId"`
	MemberID       string    `json:"memberId"`
	Turn           *TurnDone `json:"turn,omitempty"`
}

// ChatError ends a run that failed. Code is one of the codes below or a code of the driver.
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
		conversation: func(b *ConversationStarted) string { return b.Conversation.ConversationID },
		audit: func(b *ConversationStarted) AuditNote {
			c := &b.Conversation
			return AuditNote{ConversationID: c.ConversationID, After: c.Status, Note: c.Kind}
		},
		changes: func(b *ConversationStarted, _ *Event) []Change { return []Change{Began{b.Conversation}} },
		bounds:  true,
		personal: rule(conversationFields, conversationFields, func(r *Redactor, b *ConversationStarted, _ *Event) {
			r.head(&b.Conversation, b.SpectatorID == r.person && r.person != "")
		}),
	})
	_ = register(facts[ConversationStatus]{
		conversation: func(b *ConversationStatus) string { return b.ConversationID },
		audit: func(b *ConversationStatus) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, After: b.Status, Changed: true}
		},
		changes: func(b *ConversationStatus, _ *Event) []Change { return []Change{StatusSet{b.Status, b.Reason}} },
		personal: rule([]string{"reason"}, []string{"reason"}, func(r *Redactor, b *ConversationStatus, _ *Event) {
			r.serverText(b.ConversationID, &b.Reason)
		}),
	})
	_ = register(facts[ConversationRenamed]{
		conversation: func(b *ConversationRenamed) string { return b.ConversationID },
		audit:        func(b *ConversationRenamed) AuditNote { return AuditNote{ConversationID: b.ConversationID} },
		changes:      func(b *ConversationRenamed, _ *Event) []Change { return []Change{TitleSet{b.Title}} },
		personal: rule([]string{"title"}, []string{"title"}, func(r *Redactor, b *ConversationRenamed, _ *Event) {
			if r.conversations[b.ConversationID] || b.SpectatorID == r.person && r.person != "" {
				r.replace(&b.Title, ErasedName)
			}
			r.replace(&b.Title, r.withoutNames(b.Title))
		}),
	})
	_ = register(facts[ChatStarted]{
		conversation: func(b *ChatStarted) string { return b.ConversationID },
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
		bounds: true,
		personal: rule(rowFields, rowFields, func(r *Redactor, b *ChatStarted, _ *Event) {
			if b.Message != nil {
				r.Row(b.Message)
			}
		}),
	})
	_ = register(facts[SegmentStarted]{
		conversation: func(b *SegmentStarted) string { return b.ConversationID },
		changes: func(b *SegmentStarted, ev *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowAdded{Row: Message{
				MessageID: b.MessageID, ConversationID: b.ConversationID, RequestID: b.RequestID, Role: RoleAssistant,
				MemberID: b.MemberID, Name: b.Name, StageID: b.StageID, Status: MessageOpen, At: ev.At,
			}}}
		},
		personal: none("an empty row of an agent"),
	})
	_ = register(facts[SegmentClosed]{
		conversation: func(b *SegmentClosed) string { return b.ConversationID },
		changes: func(b *SegmentClosed, _ *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowClosed{b.Message}}
		},
		personal: rule(rowFields, rowFields, func(r *Redactor, b *SegmentClosed, _ *Event) { r.Row(&b.Message) }),
	})
	_ = register(facts[MessageAdded]{
		conversation: func(b *MessageAdded) string { return b.ConversationID },
		changes:      func(b *MessageAdded, _ *Event) []Change { return []Change{RowAdded{Row: b.Message}} },
		personal:     rule(rowFields, rowFields, func(r *Redactor, b *MessageAdded, _ *Event) { r.Row(&b.Message) }),
	})
	_ = register(facts[ToolStart]{
		conversation: func(b *ToolStart) string { return b.ConversationID },
		changes: func(b *ToolStart, ev *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowAdded{Row: b.ToolRow(ev.At)}}
		},
		personal: rule([]string{"input"}, []string{"input"}, func(r *Redactor, b *ToolStart, _ *Event) {
			r.agentText(b.ConversationID, &b.Input)
		}),
	})
	_ = register(facts[ToolOutput]{
		conversation: func(b *ToolOutput) string { return b.ConversationID },
		changes: func(b *ToolOutput, _ *Event) []Change {
			return []Change{RunActive{b.RequestID}, RowExtended{b.MessageID, b.Text}}
		},
		personal: rule([]string{"text"}, []string{"text"}, func(r *Redactor, b *ToolOutput, _ *Event) {
			r.agentText(b.ConversationID, &b.Text)
		}),
	})
	_ = register(facts[ToolEnd]{
		conversation: func(b *ToolEnd) string { return b.ConversationID },
		changes:      func(b *ToolEnd, _ *Event) []Change { return []Change{RunActive{b.RequestID}, ToolClosed{b}} },
		personal: rule([]string{"output"}, []string{"output"}, func(r *Redactor, b *ToolEnd, _ *Event) {
			r.agentText(b.ConversationID, &b.Output)
		}),
	})
	_ = register(facts[ChatDone]{
		conversation: func(b *ChatDone) string { return b.ConversationID },
		changes: func(b *ChatDone, _ *Event) []Change {
			return []Change{RunEnded{RequestID: b.RequestID, Status: RunDone}}
		},
		bounds:   true,
		personal: none("counts and ids"),
	})
	_ = register(facts[ChatError]{
		conversation: func(b *ChatError) string { return b.ConversationID },
		changes: func(b *ChatError, _ *Event) []Change {
			end := RunEnded{RequestID: b.RequestID, Status: RunError, Code: b.Code}
			if b.Code == ChatTimeout {
				end.Status = RunTimeout
			}
			return []Change{end}
		},
		between: true,
		bounds:  true,
		personal: rule([]string{"message"}, []string{"message"}, func(r *Redactor, b *ChatError, _ *Event) {
			r.serverText(b.ConversationID, &b.Message)
		}),
	})
	_ = register(facts[ChatCancelled]{
		conversation: func(b *ChatCancelled) string { return b.ConversationID },
		changes: func(b *ChatCancelled, _ *Event) []Change {
			end := RunEnded{RequestID: b.RequestID, Status: RunCancelled, Reason: b.Reason}
			if b.Reason == CancelInterrupted {
				end.Status = RunInterrupted
			}
			return []Change{end}
		},
		between:  true,
		bounds:   true,
		personal: none("the reason is a fixed text of the server"),
	})
)

func (b *ChatStarted) Row() *Message   { return b.Message }
func (b *SegmentClosed) Row() *Message { return &b.Message }
func (b *MessageAdded) Row() *Message  { return &b.Message }

func (b *ChatStarted) RunRequestID() string    { return b.RequestID }
func (b *SegmentStarted) RunRequestID() string { return b.RequestID }
func (b *SegmentClosed) RunRequestID() string  { return b.RequestID }
func (b *ToolStart) RunRequestID() string      { return b.RequestID }
func (b *ToolOutput) RunRequestID() string     { return b.RequestID }
func (b *ToolEnd) RunRequestID() string        { return b.RequestID }
func (b *ChatDone) RunRequestID() string       { return b.RequestID }
func (b *ChatError) RunRequestID() string      { return b.RequestID }
func (b *ChatCancelled) RunRequestID() string  { return b.RequestID }

// Statuses of an agent on the map.
const (
	AgentIdle    = "idle"
	AgentRunning = "running"
)

// These events change their conversation (see Facts) and not the world, so apply does nothing.
func (b *ConversationStarted) apply(*World, *Event) {}
func (b *ConversationStatus) apply(*World, *Event)  {}
func (b *ConversationRenamed) apply(*World, *Event) {}
func (b *SegmentStarted) apply(*World, *Event)      {}
func (b *SegmentClosed) apply(*World, *Event)       {}
func (b *MessageAdded) apply(*World, *Event)        {}
func (b *ToolStart) apply(*World, *Event)           {}
func (b *ToolOutput) apply(*World, *Event)          {}
func (b *ToolEnd) apply(*World, *Event)             {}

func (b *ChatStarted) apply(w *World, _ *Event) {
	if b.Status == RunRunning {
		setStatus(w, b.MemberID, AgentRunning)
	}
	if b.Instance != "" {
		w.setInstance(b.MemberID, b.Instance)
	}
}

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
