package retention

import "agentdungeon/shared/world"

// Report is the result of a pass, or what a pass would do.
type Report struct {
	At     world.Time `json:"at"`
	DryRun bool       `json:"dryRun"`
	// Waits says why nothing was done although it was due, or "".
	Waits  string  `json:"waits,omitempty"`
	Realms []Realm `json:"realms"`
	// More is set if the pass ended at its limit and the next one continues.
	More bool `json:"more,omitempty"`
}

// Realm is the part of a report about one realm.
type Realm struct {
	Tenant        string `json:"tenant"`
	RealmID       string `json:"realmId"`
	Name          string `json:"name"`
	Conversations int    `json:"conversations"` // number examined
	// Items are what is due, longest due first, at most MaxItems.
	Items []Item `json:"items"`
	Due   int    `json:"due"` // number of due items, without those held
	// Marked and Deleted count what was done.
	Marked  int `json:"marked"`
	Deleted int `json:"deleted"`
	// Next is when something else becomes due, 0 for never.
	Next world.Time `json:"next,omitempty"`
	// Problems describes failures, at most MaxProblems; the pass continued after them.
	Problems []string `json:"problems,omitempty"`
}

// Bounds of a report.
const (
	MaxItems    = 1_000
	MaxProblems = 20
)
