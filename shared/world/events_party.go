package world

// PartyUpdated replaces the state of the party.
type PartyUpdated struct {
	Party Party `json:"party"`
}

// TeamReady reports that a team was set, with a restored or a new session (S2-03).
type TeamReady struct {
	Team           Team   `json:"team"`
	Restored       bool   `json:"restored"`
	ConversationID string `json:"conversationId"`
}

// ConversationTeam replaces a conversation's team, whose members may have changed since. Rows
// keep the names under which they were said.
type ConversationTeam struct {
	ConversationID string `json:"conversationId"`
	Team           Team   `json:"team"`
}

// SessionRestored reports that a session was restored, Ready-Idle (S2-12, S2-16). SessionID is
// the conversation's id.
type SessionRestored struct {
	SessionID      string      `json:"sessionId"`
	ConversationID string      `json:"conversationId"`
	MessageCount   int         `json:"messageCount"`
	Stats          *PartyStats `json:"stats,omitempty"`
}

// PartyStats counts what a session holds (S2-12).
type PartyStats struct {
	TotalMessages  int            `json:"totalMessages"`
	MessagesByRole map[string]int `json:"messagesByRole"` // by the speaker's id
	Duration       int64          `json:"duration"`       // milliseconds since it was created
}

// SessionWarning reports that a restored session has speakers who are not in the team now
// (S2-09).
type SessionWarning struct {
	SessionID      string          `json:"sessionId"`
	ConversationID string          `json:"conversationId"`
	Message        string          `json:"message"`
	MissingMembers []MissingMember `json:"missingMembers"`
}

// MissingMember spoke in a session and is not in the team any more.
type MissingMember struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (*PartyUpdated) EventType() string     { return "party:update" }
func (*TeamReady) EventType() string        { return "team:ready" }
func (*ConversationTeam) EventType() string { return "conversation.team" }
func (*SessionRestored) EventType() string  { return "session:restored" }
func (*SessionWarning) EventType() string   { return "session:warning" }

var (
	_ = register[PartyUpdated]()
	_ = register[TeamReady]()
	_ = register[ConversationTeam]()
	_ = register[SessionRestored]()
	_ = register[SessionWarning]()
)

func (b *PartyUpdated) apply(w *World, _ *Event) { w.Party = b.Party.clone() }

func (b *TeamReady) apply(*World, *Event) {}

func (b *ConversationTeam) apply(*World, *Event) {}

func (b *SessionRestored) apply(*World, *Event) {}

func (b *SessionWarning) apply(*World, *Event) {}
