package shadow

// Hook is what a program tells about a session through a hook that its user has installed. Its texts have no secrets.
type Hook struct {
	Program   string
	SessionID string
	Told      Told
	Tool      string // the tool that is meant, "" for none
	Input     string // input of the tool's call, as JSON
	Brief     string // the call in a few words, at most MaxReason bytes
	// Choices are the answers that the program takes from the hook (Asks). Without any its terminal asks.
	Choices []string
	DoorID  string   // of Hangs
	WordIDs []string // of Missed
	// Idle is set if the program takes words only while the session does nothing (Listens).
	Idle bool
}

// Told is what a hook has told.
type Told string

// Values of Told.
const (
	Asks  Told = "asks"  // a person shall say whether Tool may run
	Hangs Told = "hangs" // the program does not wait any more for the answer to DoorID; its terminal asks
	Did   Told = "did"   // the call of Tool has run
	Fails Told = "fails" // the call of Tool was refused, or has failed
	Over  Told = "over"  // the session goes on with something else, or ends
	// Listens: the hook takes the words that wait for the session. Missed: it has gone without WordIDs.
	Listens Told = "listens"
	Missed  Told = "missed"
)

// Handed are the words that a hook gets for its session.
type Handed struct {
	Text    string   // as the agent gets it, "" for none
	WordIDs []string // the words in Text
	Over    bool     // none will come any more: the session has ended
}

// Answer is what a hook of a program does at its end.
type Answer struct {
	Text []byte
	Wake bool   // Text wakes the agent: the hook writes it to standard error and ends with exit code 2
	Lost func() // to be called if the hook did not get the answer; nil for nothing to do
}
