package world

import (
	"cmp"
	"slices"
)

// Party is the state of the current session that decides who speaks next. The transcript lacks this state, because
// rows are stored without routing markers (S2-B8). The zero value means that the realm has no party. A session that
// is restored later begins without it, paused and with an empty queue (Ready-Idle).
type Party struct {
	TeamID         string `json:"teamId"`
	ConversationID string `json:"conversationId"` // id of the current session, "" while idle
	Status         string `json:"status"`
	// WaitingFor is the member id of the person for whom a paused party waits, "" for anybody.
	WaitingFor string `json:"waitingFor"`
	// Executing is the item of the current turn, nil for none.
	Executing *PartyItem  `json:"executing"`
	Queue     []PartyItem `json:"queue"` // oldest first, at most party.MaxQueue
	// Order has the numbers of the queue's items in the order in which the members are asked if nobody speaks in between
	// (P14.11). It is empty if that is the order of Queue.
	Order    []int       `json:"order,omitempty"`
	TeamTask string      `json:"teamTask"`
	Seats    []PartySeat `json:"seats"`  // at most one for each person of the team
	Newest   string      `json:"newest"` // id of the newest message, "" before the first
	Local    int         `json:"local"`  // number of consecutive turns in the branch of the newest message
	Turns    int         `json:"turns"`  // number of turns of agents since a person has spoken
	Asked    int         `json:"asked"`  // number N of the newest item
	// Called has the newest messages that asked members for a turn, oldest first, at most party.MaxCalled.
	Called []PartyCall `json:"called,omitempty"`
	// Unchecked is set when a member leaves the team. The plan then finds the members who spoke in the session and
	// have left the team, sends the warning session:warning, and clears Unchecked.
	Unchecked bool `json:"untold,omitempty"`
}

// PartyItem is a queued request for a member's turn.
type PartyItem struct {
	N      int    `json:"n"` // number of the item in its party, from 1
	Target string `json:"target"`
	Parent string `json:"parent"` // the message with the request
	Intent string `json:"intent"`
}

// PartyCall records which members a message asked for a turn.
type PartyCall struct {
	MessageID string   `json:"messageId"`
	MemberIDs []string `json:"memberIds"` // each once, in the order of the message
}

// PartySeat records which member of the team a spectator speaks as.
type PartySeat struct {
	MemberID    string `json:"memberId"`
	SpectatorID string `json:"spectatorId"`
}

// Statuses of a Party. Its conversation has the same status; an idle party has no conversation.
const (
	PartyIdle   = "idle"   // no session: before team:set, and after a session that failed
	PartyActive = "active" // a turn runs, or the plan starts one
	PartyPaused = "paused" // the party waits for a person
)

// StageRouted is the StageID of a party's turns.
const StageRouted = "routed"

// Turn returns the turn that a run for this item plays.
func (i PartyItem) Turn() Turn {
	return Turn{StageID: StageRouted, RoleID: i.Target, Attempt: 1, N: i.N}
}

func (p *Party) fill() {
	p.Status = cmp.Or(p.Status, PartyIdle)
	p.Queue = NotNil(p.Queue)
	p.Seats = NotNil(p.Seats)
}

func (p *Party) clone() Party {
	c := *p
	c.Queue = append([]PartyItem{}, p.Queue...)
	c.Order = slices.Clone(p.Order)
	c.Seats = append([]PartySeat{}, p.Seats...)
	c.Called = slices.Clone(p.Called) // the member ids of a call never change
	if p.Executing != nil {
		item := *p.Executing
		c.Executing = &item
	}
	return c
}
