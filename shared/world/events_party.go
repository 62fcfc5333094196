package world

import (
	"fmt"
	"slices"
)

// PartyUpdated replaces the state of the party.
type PartyUpdated struct {
	Party Party `json:"party"`
}

// TeamReady reports that a team was set and its session is ready: a new one, or a restored one
// (S2-03).
type TeamReady struct {
	Team           Team   `json:"team"`
	Restored       bool   `json:"restored"`
	ConversationID string `json:"conversationId"`
}

// ConversationTeam replaces the team of a conversation after the team's file has changed. Earlier rows keep the old
// names of the members.
type ConversationTeam struct {
	ConversationID string `json:"conversationId"`
	Team           Team   `json:"team"`
}

// SessionRestored reports that a session was restored in the state Ready-Idle (S2-12, S2-16).
// SessionID is the conversation's id.
type SessionRestored struct {
	SessionID      string      `json:"sessionId"`
	ConversationID string      `json:"conversationId"`
	MessageCount   int         `json:"messageCount"`
	Stats          *PartyStats `json:"stats,omitempty"`
}

// PartyStats are the statistics of a session (S2-12).
type PartyStats struct {
	TotalMessages  int            `json:"totalMessages"`
	MessagesByRole map[string]int `json:"messagesByRole"` // number of messages by the speaker's id
	Duration       int64          `json:"duration"`       // milliseconds since the session began
}

// SessionWarning reports that members spoke in the session who are no longer in the team (S2-09).
type SessionWarning struct {
	SessionID      string          `json:"sessionId"`
	ConversationID string          `json:"conversationId"`
	Message        string          `json:"message"`
	MissingMembers []MissingMember `json:"missingMembers"`
}

// MissingMember is a member who spoke in a session and is no longer in the team.
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
	_ = register(facts[PartyUpdated]{
		personal: rule([]string{"party.teamTask"}, []string{"party.teamTask", "party.seats[].memberId",
			"party.seats[].spectatorId"}, func(r *Redactor, b *PartyUpdated, _ *Event) {
			r.serverText(b.Party.ConversationID, &b.Party.TeamTask)
			if r.tasks[b.Party.TeamTask] {
				r.replace(&b.Party.TeamTask, ErasedName)
			}
			if n := len(b.Party.Seats); r.person != "" {
				b.Party.Seats = slices.DeleteFunc(b.Party.Seats, func(s PartySeat) bool { return s.SpectatorID == r.person })
				r.changed = r.changed || len(b.Party.Seats) != n
			}
		}),
	})
	_ = register(facts[TeamReady]{
		audit: func(b *TeamReady) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, After: b.Team.ID}
		},
		personal: rule(memberFields, memberFields, func(r *Redactor, b *TeamReady, _ *Event) {
			r.team(&b.Team, r.conversations[b.ConversationID])
		}),
	})
	_ = register(facts[ConversationTeam]{
		conversation: func(b *ConversationTeam) string { return b.ConversationID },
		changes:      func(b *ConversationTeam, _ *Event) []Change { return []Change{TeamSet{b.Team}} },
		personal: rule(memberFields, memberFields, func(r *Redactor, b *ConversationTeam, _ *Event) {
			r.team(&b.Team, r.conversations[b.ConversationID])
		}),
	})
	_ = register(facts[SessionRestored]{
		audit: func(b *SessionRestored) AuditNote {
			return AuditNote{ConversationID: b.ConversationID, Note: fmt.Sprintf("%d messages", b.MessageCount)}
		},
		between:  true,
		personal: none("ids and counts"),
	})
	_ = register(facts[SessionWarning]{
		between: true,
		personal: rule([]string{"message", "missingMembers[].name"}, []string{"message", "missingMembers[].name"},
			func(r *Redactor, b *SessionWarning, _ *Event) {
				r.serverText(b.ConversationID, &b.Message)
				for i := range b.MissingMembers {
					if m := &b.MissingMembers[i]; r.conversations[b.ConversationID] || m.ID == r.person {
						r.replace(&m.Name, ErasedName)
					} else {
						r.replace(&m.Name, r.withoutNames(m.Name))
					}
				}
			}),
	})
)

func (b *PartyUpdated) apply(w *World, _ *Event) { w.Party = b.Party.clone() }

// These events do not change the world, so apply does nothing.
func (b *TeamReady) apply(*World, *Event)        {}
func (b *ConversationTeam) apply(*World, *Event) {}
func (b *SessionRestored) apply(*World, *Event)  {}
func (b *SessionWarning) apply(*World, *Event)   {}
