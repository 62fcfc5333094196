package world

import (
	"slices"
	"time"
)

// HistoryErased says that conversations, or one person's words and identity, are no
// longer kept (P16.3). Everything before it was redacted under its own number; who
// comes from before it gets a snapshot. Whoever folds it lets go of what they hold of
// them: rows, drafts, names. It carries outcomes, so that a fold over what was redacted
// and a fold over what was not come to the same world: see Redactor.
type HistoryErased struct {
	ErasureID string `json:"erasureId"`
	// ConversationID or SpectatorID is what was asked for; a pass of retention has neither.
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	Reason         string `json:"reason"` // ErasedOnRequest, ErasedByRetention
	// Conversations are those that went as a whole, at most MaxErasedTalks: of a person
	// also the chats and forges in which nobody else spoke.
	Conversations []string `json:"conversations"`
	// Artifacts have this text from now on, Findings and Quests no words any more, and the
	// forts of these members no name.
	Artifacts []ErasedText `json:"artifacts,omitempty"`
	Findings  []string     `json:"findings,omitempty"`
	Quests    []string     `json:"quests,omitempty"`
	Forts     []string     `json:"forts,omitempty"`
	// Cleared names single texts of the world that are gone: Cleared...
	Cleared []string `json:"cleared,omitempty"`
}

// ErasedText is what is left of a text.
type ErasedText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Reasons of HistoryErased.
const (
	ErasedOnRequest   = "request"
	ErasedByRetention = "retention"
)

// Values of HistoryErased.Cleared.
const (
	ClearedProblem  = "problem"  // ProcessState.ProblemStatement
	ClearedReason   = "reason"   // ProcessState.Reason
	ClearedWaiting  = "waiting"  // ProcessState.Waiting.Message
	ClearedSeal     = "seal"     // ProcessState.Sealed.Summary
	ClearedTeamTask = "teamTask" // Party.TeamTask
)

// ErasedName stands where a name or a title was.
const ErasedName = "erased"

// Bounds of an erasure.
const (
	MaxErasedTalks = 500  // conversations of one history:erased
	MaxErased      = 2000 // ids that a world remembers as erased; the oldest go
)

func (*HistoryErased) EventType() string { return "history:erased" }

var _ = register[HistoryErased]()

func (b *HistoryErased) apply(w *World, _ *Event) {
	ids := slices.Clone(b.Conversations)
	if b.SpectatorID != "" {
		ids = append(ids, b.SpectatorID)
	}
	kept := drop(w.Erased, func(id string) bool { return slices.Contains(ids, id) })
	if b.Reason == ErasedByRetention { // the first to be forgotten: a pass of thousands pushes no person out
		w.Erased = append(ids, kept...)
	} else {
		w.Erased = append(kept, ids...)
	}
	if over := len(w.Erased) - MaxErased; over > 0 {
		w.Erased = slices.Clone(w.Erased[over:])
	}
	if slices.Contains(b.Conversations, w.ProcessState.ConversationID) && w.ProcessState.ConversationID != "" {
		w.ProcessState = ProcessState{}
		w.ProcessState.fill()
	}
	if slices.Contains(b.Conversations, w.Party.ConversationID) && w.Party.ConversationID != "" {
		w.Party = Party{TeamID: w.Party.TeamID}
		w.Party.fill()
	}
	for _, left := range b.Artifacts {
		for i := range w.Artifacts {
			if w.Artifacts[i].ID == left.ID {
				w.Artifacts[i].Text = left.Text
			}
		}
	}
	for i := range w.Findings {
		if slices.Contains(b.Findings, w.Findings[i].ID) {
			w.Findings[i].erase()
		}
	}
	for i := range w.Quests {
		if slices.Contains(b.Quests, w.Quests[i].ID) {
			w.Quests[i].erase()
		}
	}
	for i := range w.Forts {
		if slices.Contains(b.Forts, w.Forts[i].AgentID) {
			w.Forts[i].Name = ErasedName
		}
	}
	for _, what := range b.Cleared {
		w.clear(what)
	}
	if b.SpectatorID != "" {
		w.erasePerson(b.SpectatorID)
	}
}

func (f *Finding) erase() {
	f.Title, f.Text, f.Evidence, f.Why, f.Advice = ErasedName, "", "", "", ""
	if f.Withdrawn != "" {
		f.Withdrawn = ErasedName
	}
}

func (q *Quest) erase() { q.Title, q.Note = ErasedName, "" }

// erase takes a person's name off a member; the name of its role stays.
func (a *Agent) erase() {
	if a.Name == a.DisplayName {
		a.Name = ErasedName
	}
	a.DisplayName = ErasedName
}

func (w *World) clear(what string) {
	p := &w.ProcessState
	switch what {
	case ClearedProblem:
		p.ProblemStatement = ErasedName
	case ClearedReason:
		p.Reason = ErasedName
	case ClearedWaiting:
		if p.Waiting != nil {
			wait := *p.Waiting
			wait.Message = ErasedName
			p.Waiting = &wait
		}
	case ClearedSeal:
		if p.Sealed != nil {
			p.Sealed = &Seal{RoleID: p.Sealed.RoleID, Summary: ErasedName}
		}
	case ClearedTeamTask:
		w.Party.TeamTask = ErasedName
	}
}

// erasePerson lets go of a person's identity: ids stay, names and ways do not.
func (w *World) erasePerson(id string) {
	for i := range w.Agents {
		if a := &w.Agents[i]; a.SpectatorID == id {
			a.erase()
			if a.Inside { // the way of a hero that follows a person is theirs
				w.NavigationState.enter(a.ID, a.Realm, nil)
			}
		}
	}
	for i := range w.ProcessState.Cast {
		if c := &w.ProcessState.Cast[i]; c.SpectatorID == id {
			c.Name = ErasedName
		}
	}
	for i := range w.Quests {
		if q := &w.Quests[i]; q.SpectatorID == id {
			q.Owner = ErasedName
		}
	}
	n := &w.NavigationState
	n.leave(id)
	n.Walkers = drop(n.Walkers, func(other string) bool { return other == id })
	w.Focus = drop(w.Focus, func(f Focus) bool { return f.SpectatorID == id })
	w.Party.Seats = drop(w.Party.Seats, func(s PartySeat) bool { return s.SpectatorID == id })
}

// IsErased says that a conversation or a person of that id was erased lately.
func (w *World) IsErased(id string) bool { return slices.Contains(w.Erased, id) }

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
	// Removed are the files of the realm's folder that recovery had set aside and that were
	// removed, by name below the folder.
	Removed []string `json:"removed,omitempty"`
}

// Erasure asks for one: of conversations, or of a person. Exactly one of the two.
type Erasure struct {
	ErasureID     string   `json:"erasureId"`
	Conversations []string `json:"conversations,omitempty"` // at most MaxErasedTalks
	SpectatorID   string   `json:"spectatorId,omitempty"`
	Reason        string   `json:"reason"`        // ErasedOnRequest, ErasedByRetention
	Who           string   `json:"who,omitempty"` // a spectatorId, or a command's name
	At            Time     `json:"at"`
	// Since has, for a retention, when each of the conversations was last updated: where
	// something has happened in one of them after that, nothing is erased.
	Since map[string]Time `json:"since,omitempty"`
}

// asidesFor is how long retention leaves what recovery has set aside: nobody asks for what it
// erases, and a damaged file may be the only copy of something else.
const asidesFor = 30 * 24 * time.Hour

// AsidesBefore is before which time a file of the realm's folder must have been set aside to
// be removed with this erasure: all are where somebody asks for it.
func (e Erasure) AsidesBefore(now Time) Time {
	if e.Reason == ErasedByRetention {
		return min(now, e.At) - Time(asidesFor.Milliseconds())
	}
	return 1 << 62
}
