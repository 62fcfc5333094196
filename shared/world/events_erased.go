package world

// HistoryErased says that a conversation, or one person's words and identity, are no
// longer kept (design 3.13). Exactly one of the two is set. Everything before it was
// redacted under its own number; who comes from before it gets a snapshot. Whoever folds
// it lets go of what they hold of them: rows, drafts, names.
type HistoryErased struct {
	ErasureID      string `json:"erasureId"`
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	Reason         string `json:"reason"` // ErasedOnRequest, ErasedByRetention
}

// Reasons of HistoryErased.
const (
	ErasedOnRequest   = "request"
	ErasedByRetention = "retention"
)

func (*HistoryErased) EventType() string { return "history:erased" }

var _ = register[HistoryErased]()

func (b *HistoryErased) apply(*World, *Event) {}

// Receipt says what an erasure changed and what it cannot reach.
type Receipt struct {
	ErasureID      string `json:"erasureId"`
	RealmID        string `json:"realmId"`
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	RequestedAt    Time   `json:"requestedAt"`
	DoneAt         Time   `json:"doneAt"`
	// Changed counts what was redacted or removed, by what it is ("events", "messages",
	// "files", ...); Unreached says in sentences what may still hold it.
	Changed   map[string]int `json:"changed"`
	Unreached []string       `json:"unreached"`
}
