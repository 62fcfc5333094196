package retention

import "agentdungeon/shared/world"

// Report is the result of a pass. If DryRun is set, it says what a pass would do.
type Report struct {
	At     world.Time `json:"at"`
	DryRun bool       `json:"dryRun"`
	// Waits explains why the pass did nothing, "" if it did what was due.
	Waits  string  `json:"waits,omitempty"`
	Realms []Realm `json:"realms"`
	// More is set if the pass has reached its limit. The next pass continues.
	More bool `json:"more,omitempty"`
}

// Realm is the part of a Report that is about one realm.
type Realm struct {
	Tenant        string `json:"tenant"`
	RealmID       string `json:"realmId"`
	Name          string `json:"name"`
	Conversations int    `json:"conversations"` // number of conversations that the pass examined
	// Items has the due conversations and what retention does with each: at most MaxItems, the longest due first.
	Items []Item `json:"items"`
	Due   int    `json:"due"` // number of all due conversations except those that are held
	// Marked and Deleted are the numbers of conversations that the pass has marked as abandoned and has
	// deleted.
	Marked  int `json:"marked"`
	Deleted int `json:"deleted"`
	// Next is the time at which the next conversation becomes due, 0 for never.
	Next world.Time `json:"next,omitempty"`
	// Problems describes failures that did not stop the pass, at most MaxProblems.
	Problems []string `json:"problems,omitempty"`
}

// Maximum lengths of the lists in a Report.
const (
	MaxItems    = 1_000
	MaxProblems = 20
)
