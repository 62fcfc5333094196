package world

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// HistoryErased reports the erasure of conversations, or of one person's words and identity (P16.3). All earlier
// events were redacted and keep their seq; a client with an older position gets a snapshot. Clients remove the
// erased rows, drafts and names. The event contains the texts and ids that remain after the erasure. So applying it
// after the redacted events gives the same world as applying it after the original ones: see Redactor.
type HistoryErased struct {
	ErasureID string `json:"erasureId"`
	// ConversationID or SpectatorID is the subject of the request. An erasure by retention has
	// neither.
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	Reason         string `json:"reason"` // ErasedOnRequest or ErasedByRetention
	// Conversations lists the conversations that were erased whole, at most MaxErasedConversations.
	// An erasure of a person includes the chats and forges in which no other person spoke.
	Conversations []string `json:"conversations"`
	// Artifacts has the remaining texts of changed artifacts. Findings and Quests are the ids of the findings and
	// quests whose words are erased. Forts are the ids of the members whose forts lose their name.
	Artifacts []ErasedText `json:"artifacts,omitempty"`
	Findings  []string     `json:"findings,omitempty"`
	Quests    []string     `json:"quests,omitempty"`
	Forts     []string     `json:"forts,omitempty"`
	// Cleared lists those single texts of the world that were erased: ClearedProblem and so on.
	Cleared []string `json:"cleared,omitempty"`
}

// ErasedText is the remaining text of an artifact.
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

// ErasedName stands in place of an erased name, title or text.
const ErasedName = "erased"

// Bounds of an erasure.
const (
	MaxErasedConversations = 500  // maximum number of conversations in one history:erased
	MaxErased              = 2000 // length of World.Erased; the oldest ids are dropped
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
	personal: none("ids, and texts that are redacted already"),
})

func (b *HistoryErased) apply(w *World, _ *Event) {
	ids := slices.Clone(b.Conversations)
	if b.SpectatorID != "" {
		ids = append(ids, b.SpectatorID)
	}
	kept := slices.DeleteFunc(w.Erased, func(id string) bool { return slices.Contains(ids, id) })
	// Insert these ids at the beginning of the list, so that they are dropped before the ids of people if there are
	// more than MaxErased.
	if b.Reason == ErasedByRetention {
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
		if a := find(w.Artifacts, func(a *Artifact) bool { return a.ID == left.ID }); a != nil {
			a.Text = left.Text
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
	w.eraseSessions(b.Conversations)
	w.eraseDoors(b.Conversations)
	w.eraseTouches(b.Conversations)
	w.eraseUsage(b.Conversations)
	eraseWords(w.Sessions, b.Conversations, b.SpectatorID)
	if b.SpectatorID != "" {
		w.erasePerson(b.SpectatorID)
	}
}

// erase removes all texts of a finding and reports whether it had any.
func (f *Finding) erase() (changed bool) {
	changed = f.Title != ErasedName ||
		slices.ContainsFunc(f.Words(), func(s string) bool { return s != "" && s != ErasedName })
	f.Title, f.Text, f.Evidence, f.Why, f.Advice = ErasedName, "", "", "", ""
	f.Proof, f.Steps, f.Patch, f.Accept = "", nil, "", ""
	if f.Withdrawn != "" {
		f.Withdrawn = ErasedName
	}
	return changed
}

func (q *Quest) erase() { q.Title, q.Note = ErasedName, "" }

// erase removes a person's name from an agent. It keeps the name of the role.
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

// erasePerson removes a person's names, rooms, focus and seat. It keeps ids.
func (w *World) erasePerson(id string) {
	for i := range w.Agents {
		if a := &w.Agents[i]; a.SpectatorID == id {
			a.erase()
			if a.Inside { // the hero's room is removed too, because a person has led the hero there
				w.NavigationState.enter(a.ID, a.Folder, nil)
			}
		}
	}
	for i := range w.ProcessState.Cast {
		if c := &w.ProcessState.Cast[i]; c.SpectatorID == id {
			c.Name = ErasedName
		}
	}
	if by := w.ProcessState.PausedBy; by != nil && by.By == id {
		w.ProcessState.PausedBy = &Author{By: id}
	}
	for i := range w.Quests {
		if q := &w.Quests[i]; q.SpectatorID == id {
			q.Owner = ErasedName
		}
	}
	for i := range w.Doors {
		if d := &w.Doors[i]; d.By == id {
			d.Name = ""
		}
	}
	n := &w.NavigationState
	n.leave(id)
	n.Walkers = slices.DeleteFunc(n.Walkers, func(other string) bool { return other == id })
	w.Focus = slices.DeleteFunc(w.Focus, func(f Focus) bool { return f.SpectatorID == id })
	w.Party.Seats = slices.DeleteFunc(w.Party.Seats, func(s PartySeat) bool { return s.SpectatorID == id })
}

// IsErased reports whether World.Erased contains the id.
func (w *World) IsErased(id string) bool { return slices.Contains(w.Erased, id) }

// Receipt reports what an erasure changed and what it cannot reach.
type Receipt struct {
	ErasureID      string `json:"erasureId"`
	RealmID        string `json:"realmId"`
	ConversationID string `json:"conversationId,omitempty"`
	SpectatorID    string `json:"spectatorId,omitempty"`
	RequestedAt    Time   `json:"requestedAt"`
	DoneAt         Time   `json:"doneAt"`
	// Changed has the number of changed or removed items by kind ("events", "messages", "files", ...). Unreached
	// has sentences about places that may still contain erased words.
	Changed   map[string]int `json:"changed"`
	Unreached []string       `json:"unreached"`
	// Removed lists the damaged files (set aside under another name) that the erasure removed, by name below the
	// realm's folder.
	Removed []string `json:"removed,omitempty"`
}

// Erasure is a request to erase conversations or one person, never both.
type Erasure struct {
	ErasureID     string   `json:"erasureId"`
	Conversations []string `json:"conversations,omitempty"` // at most MaxErasedConversations
	SpectatorID   string   `json:"spectatorId,omitempty"`
	Reason        string   `json:"reason"`        // ErasedOnRequest or ErasedByRetention
	Who           string   `json:"who,omitempty"` // a spectatorId, or the name of the command that requested the erasure
	At            Time     `json:"at"`
	// Since has, for an erasure by retention, the time of the last known update of each conversation. If one of
	// these conversations has changed since, the server erases nothing.
	Since map[string]Time `json:"since,omitempty"`
}

// asidesFor is the minimum age of the damaged files that an erasure by retention removes. Because no person has
// requested such an erasure, it keeps newer ones: a damaged file may be the only copy of other data.
const asidesFor = 30 * 24 * time.Hour

// AsidesBefore returns a time: the erasure removes the damaged files that were set aside (renamed and kept) before
// it. An erasure on request removes all of them, so the time is now.
func (e Erasure) AsidesBefore(now Time) Time {
	if e.Reason == ErasedByRetention {
		return min(now, e.At) - Time(asidesFor.Milliseconds())
	}
	return 1 << 62
}
