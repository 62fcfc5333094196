package world

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// HistoryErased reports that conversations, or one person's words and identity, were erased
// (P16.3). All events before it were redacted and keep their seq; a client with an older
// position gets a snapshot. Folding it removes the erased rows, drafts and names. It carries
// outcomes, so that redacted and original events fold to the same world: see Redactor.
type HistoryErased struct {
	ErasureID string `json:"erasureId"`
	// ConversationID or SpectatorID is what was asked for; an erasure by retention has neither.
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	Reason         string `json:"reason"` // ErasedOnRequest, ErasedByRetention
	// Conversations were erased whole, at most MaxErasedTalks. An erasure of a person includes
	// the chats and forges in which nobody else spoke.
	Conversations []string `json:"conversations"`
	// Artifacts get this text; Findings and Quests lose their words; the forts of Forts' members
	// lose their name.
	Artifacts []ErasedText `json:"artifacts,omitempty"`
	Findings  []string     `json:"findings,omitempty"`
	Quests    []string     `json:"quests,omitempty"`
	Forts     []string     `json:"forts,omitempty"`
	// Cleared names single texts of the world that are gone: Cleared...
	Cleared []string `json:"cleared,omitempty"`
}

// ErasedText is the text that remains of an artifact.
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

var _ = register(facts[HistoryErased]{
	audit: func(b *HistoryErased) AuditNote {
		note := b.SpectatorID
		if len(b.Conversations) > 1 || b.SpectatorID != "" {
			note = strings.TrimSpace(fmt.Sprintf("%s %d conversations", note, len(b.Conversations)))
		}
		return AuditNote{ConversationID: b.ConversationID, After: b.Reason, Note: note}
	},
	personal: none("ids, and what was left of texts"),
})

func (b *HistoryErased) apply(w *World, _ *Event) {
	ids := slices.Clone(b.Conversations)
	if b.SpectatorID != "" {
		ids = append(ids, b.SpectatorID)
	}
	kept := drop(w.Erased, func(id string) bool { return slices.Contains(ids, id) })
	if b.Reason == ErasedByRetention { // the first to be forgotten, so that a large retention pass drops no person
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

// erase removes a person's name from an agent; the name of the role stays.
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

// erasePerson removes a person's names, ways, focus and seat; ids stay.
func (w *World) erasePerson(id string) {
	for i := range w.Agents {
		if a := &w.Agents[i]; a.SpectatorID == id {
			a.erase()
			if a.Inside { // the way of a hero that a person leads is personal
				w.NavigationState.enter(a.ID, a.Folder, nil)
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

// IsErased reports whether a conversation or person with that id was erased recently.
func (w *World) IsErased(id string) bool { return slices.Contains(w.Erased, id) }

// Receipt says what an erasure changed and what it cannot reach.
type Receipt struct {
	ErasureID      string `json:"erasureId"`
	RealmID        string `json:"realmId"`
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	RequestedAt    Time   `json:"requestedAt"`
	DoneAt         Time   `json:"doneAt"`
	// Changed counts what was redacted or removed, by kind ("events", "messages", "files", ...).
	// Unreached lists, as sentences, what may still hold erased words.
	Changed   map[string]int `json:"changed"`
	Unreached []string       `json:"unreached"`
	// Removed lists files that recovery had set aside and the erasure removed, by name below the
	// realm's folder.
	Removed []string `json:"removed,omitempty"`
}

// Erasure is a request to erase conversations or one person, never both.
type Erasure struct {
	ErasureID     string   `json:"erasureId"`
	Conversations []string `json:"conversations,omitempty"` // at most MaxErasedTalks
	SpectatorID   string   `json:"spectatorId,omitempty"`
	Reason        string   `json:"reason"`        // ErasedOnRequest, ErasedByRetention
	Who           string   `json:"who,omitempty"` // a spectatorId, or a command's name
	At            Time     `json:"at"`
	// Since, for a retention, has the last update of each conversation: if one changed after
	// that, nothing is erased.
	Since map[string]Time `json:"since,omitempty"`
}

// asidesFor is how long retention keeps files that recovery has set aside. Nobody asked for this
// erasure, and a damaged file may be the only copy of something else.
const asidesFor = 30 * 24 * time.Hour

// AsidesBefore returns the time before which a file must have been set aside to be removed with
// this erasure. An erasure on request removes all of them.
func (e Erasure) AsidesBefore(now Time) Time {
	if e.Reason == ErasedByRetention {
		return min(now, e.At) - Time(asidesFor.Milliseconds())
	}
	return 1 << 62
}
