package world

// Party is the state of a realm's party that the transcript does not have, because routing
// markers are not stored in rows (S2-B8). The zero value is a realm without a party. Only the
// current session needs one: any other is Ready-Idle when it is restored.
type Party struct {
	TeamID         string `json:"teamId"`
	ConversationID string `json:"conversationId"` // of the session at hand, "" while idle
	Status         string `json:"status"`
	// WaitingFor is the person whose words a paused party waits for, "" for anybody.
	WaitingFor string `json:"waitingFor"`
	// Executing is the item whose turn is under way, nil for none.
	Executing *PartyItem  `json:"executing"`
	Queue     []PartyItem `json:"queue"` // at most party.MaxQueue, oldest first
	TeamTask  string      `json:"teamTask"`
	Seats     []PartySeat `json:"seats"`  // at most one for each person of the team
	Newest    string      `json:"newest"` // the newest message, "" before the first
	Local     int         `json:"local"`  // consecutive turns in the branch of the newest message
	Turns     int         `json:"turns"`  // turns of agents since a person spoke
	Asked     int         `json:"asked"`  // the number of the newest item
	// Untold: a member has left the team of the current session and it is not yet known whether
	// they spoke in it. session:warning follows, also after a restart.
	Untold bool `json:"untold,omitempty"`
}

// PartyItem is a request for a member's turn that waits in the queue.
type PartyItem struct {
	N      int    `json:"n"` // numbers the items of a party, from 1
	Target string `json:"target"`
	Parent string `json:"parent"` // the message that asked
	Intent string `json:"intent"`
}

// PartySeat says that a spectator speaks as a person of the team.
type PartySeat struct {
	MemberID    string `json:"memberId"`
	SpectatorID string `json:"spectatorId"`
}

// Statuses of a Party. Its conversation is active or paused with it; an idle party has none.
const (
	PartyIdle   = "idle"   // a team at most, no session: before team:set, and after one that failed
	PartyActive = "active" // a turn is under way, or the plan starts one
	PartyPaused = "paused" // it waits for a person
)

// StageRouted is the StageID of a party's turns.
const StageRouted = "routed"

// Turn is the slot that a run for this item fills.
func (i PartyItem) Turn() Turn {
	return Turn{StageID: StageRouted, RoleID: i.Target, Attempt: 1, N: i.N}
}

func (p *Party) fill() {
	p.Status = orDefault(p.Status, PartyIdle)
	p.Queue = notNil(p.Queue)
	p.Seats = notNil(p.Seats)
}

func (p *Party) clone() Party {
	c := *p
	c.Queue = append([]PartyItem{}, p.Queue...)
	c.Seats = append([]PartySeat{}, p.Seats...)
	if p.Executing != nil {
		item := *p.Executing
		c.Executing = &item
	}
	return c
}
