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
	DoorID  string // of Hangs
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
)
