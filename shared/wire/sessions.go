package wire

import "agentdungeon/shared/world"

// CodingProgram has numbers about one coding agent's program since the start of the server, for the person who runs the
// server.
type CodingProgram struct {
	Program string `json:"program"`
	// Sessions is the number of the program's sessions on this machine. For some programs it counts only a part of
	// them.
	Sessions int            `json:"sessions"`
	Followed int            `json:"followed"`
	Unknown  map[string]int `json:"unknown,omitempty"` // records by type that the server does not know
	Broken   int            `json:"broken,omitempty"`  // lines that are no JSON
	TooLong  int            `json:"tooLong,omitempty"` // records that were too long to keep
	Hidden   int            `json:"hidden,omitempty"`  // files and folders that could not be read
	Errors   int            `json:"errors,omitempty"`  // readings that failed
	Refused  int            `json:"refused,omitempty"` // readings that a realm did not take
	Heard    world.Time     `json:"heard,omitempty"`   // time of the last report of one of the program's hooks
	// Hooks is HooksInstalled or HooksNone: whether the program's settings have hooks of this server now. It is "" if that
	// is unknown, or if there are no hooks for the program.
	Hooks string `json:"hooks,omitempty"`
}

// Values of CodingProgram.Hooks.
const (
	HooksInstalled = "installed"
	HooksNone      = "none"
)
