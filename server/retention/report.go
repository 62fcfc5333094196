package retention

import "agentdungeon/shared/world"

// Report is what a pass did, or would do.
type Report struct {
	At     world.Time `json:"at"`
	DryRun bool       `json:"dryRun"`
	// Waits says why nothing was done although it was due, "" where nothing kept it.
	Waits  string  `json:"waits,omitempty"`
	Realms []Realm `json:"realms"`
	// More says that the pass has ended at its bound: the next one goes on.
	More bool `json:"more,omitempty"`
}

// Realm is one realm's part of a pass.
type Realm struct {
	Tenant        string `json:"tenant"`
	RealmID       string `json:"realmId"`
	Name          string `json:"name"`
	Conversations int    `json:"conversations"` // looked at
	// Items are what is due, who is due longest first, at most MaxItems.
	Items []Item `json:"items"`
	Due   int    `json:"due"` // how many are due, those held left out
	// Marked and Deleted count what was done.
	Marked  int `json:"marked"`
	Deleted int `json:"deleted"`
	// Next is when something else is due, 0 for never.
	Next world.Time `json:"next,omitempty"`
	// Problems are what went wrong in sentences, at most MaxProblems; the pass went on.
	Problems []string `json:"problems,omitempty"`
}

// Bounds of a report.
const (
	MaxItems    = 1_000
	MaxProblems = 20
)
