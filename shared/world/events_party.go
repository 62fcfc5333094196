package world

// PartyUpdated is the party as it is now.
type PartyUpdated struct {
	Party Party `json:"party"`
}

// TeamReady says that a team was set: with a session that was restored, or a new one
// (S2-03).
type TeamReady struct {
	Team           Team   `json:"team"`
	Restored       bool   `json:"restored"`
	ConversationID string `json:"conversationId"`
}

// ConversationTeam is the team that a conversation has from now on: its members may have
// changed since it was left. Rows keep the names that they were said under.
type ConversationTeam struct {
	ConversationID string `json:"conversationId"`
	Team           Team   `json:"team"`
}

// SessionRestored says that a session came back, Ready-Idle (S2-12, S2-16). SessionID is
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

// SessionWarning says that a session came back, but not all who spoke in it are in the
// team now (S2-09).
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
