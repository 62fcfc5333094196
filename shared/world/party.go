package world

// Party is the party of a realm: what its plan (server/party) knows beyond the
// transcript, because routing markers are not in what is stored (S2-B8). The zero value
// is a realm without a party. A session is a conversation of kind party; sessions that
// are not at hand need no Party, since one comes back Ready-Idle however it was left.
type Party struct {
	TeamID         string `json:"teamId"`
	ConversationID string `json:"conversationId"` // of the session at hand, "" while idle
	Status         string `json:"status"`
	// WaitingFor is the person whose words are waited for while it is paused, "" for
	// nobody: then anybody's do, and so does resuming it.
	WaitingFor string `json:"waitingFor"`
	// Executing is the item whose turn is under way, nil for none.
	Executing *PartyItem  `json:"executing"`
	Queue     []PartyItem `json:"queue"` // at most party.MaxQueue, oldest first
	TeamTask  string      `json:"teamTask"`
	Seats     []PartySeat `json:"seats"`  // at most one for each person of the team
	Newest    string      `json:"newest"` // the newest message, "" before the first
	Local     int         `json:"local"`  // turns in a row that followed the newest message
	Turns     int         `json:"turns"`  // of agents since a person spoke
	Asked     int         `json:"asked"`  // the number of the newest item
	// Untold says that somebody has left the team of the session at hand and that nobody has
	// looked yet whether they spoke in it: session:warning follows, also after a restart.
	Untold bool `json:"untold,omitempty"`
}

// PartyItem is somebody who was asked and has not had the turn yet.
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

// Statuses of a Party. A conversation is active or paused with it; while it is idle
// there is none.
const (
	PartyIdle   = "idle"   // a team at most, no session: before team:set, and after one that failed
	PartyActive = "active" // a turn is under way, or the plan starts one
	PartyPaused = "paused" // it waits for a person
)

// StageRouted is what the turns of a party have for a stage.
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
