package shadow

import "time"

// Hook is the report of one call of a hook about a session. A person has installed the hook in the settings of the
// program. The texts contain no secrets.
type Hook struct {
	Program   string
	SessionID string
	Told      Told
	Tool      string // the tool of the call, "" for none
	Input     string // input of the tool's call, as JSON
	Brief     string // a short form of the call, at most MaxReason bytes
	// Choices are the answers that the program accepts from the hook (if Told is Asks). If there are none, a person
	// can answer only in the program's terminal.
	Choices []string
	Always  string        // what the program suggests to allow from now on, in words; "" for nothing
	Hold    time.Duration // how long the hook waits for the answer
	// Again is set if the server ended while the hook waited for the answer, and the hook asks the next server (if Told
	// is Asks).
	Again  bool
	DoorID string // for Hangs, the door whose answer the hook no longer waits for
	// State is what the session does now, if the hook reports it: Working, or Waiting for its turn; otherwise "".
	State   string
	WordIDs []string // for Missed, the words that did not reach the hook
	// Idle is set if the program accepts messages of people only while the agent does nothing (if Told is Listens).
	Idle bool
	// Stops is set if the answer to this call can end the agent's turn, and nothing else (if Told is Listens).
	Stops bool
}

// Caller says which hook calls the server.
type Caller struct {
	Program string
	Wake    bool // the hook runs beside the agent and can wake it
	Again   bool // the hook waited for an answer of another server, which has ended
}

// Told says what a call of a hook reports or asks for.
type Told string

// Values of Told.
const (
	Asks  Told = "asks"  // a person has to decide whether Tool may run
	Hangs Told = "hangs" // the hook no longer waits for the answer to DoorID; the program's terminal asks
	Did   Told = "did"   // the call of Tool has run
	Fails Told = "fails" // the call of Tool was refused, or has failed
	Over  Told = "over"  // the session continues with something else, or ends
	Says  Told = "says"  // the hook reports only State
	// Listens means that the hook asks for the messages that people have sent to the session. Missed means that the
	// hook ended before it got the messages with the ids WordIDs.
	Listens Told = "listens"
	Missed  Told = "missed"
)

// Handed has the messages of people that a hook gets for its session.
type Handed struct {
	Text    string   // the text that the agent gets, "" for none
	WordIDs []string // the ids of the words in Text
	Over    bool     // the session has ended, so no words will come any more
}

// Answer says what a hook prints and does when it ends.
type Answer struct {
	Text []byte
	Wake bool   // Text wakes the agent: the hook writes it to standard error and ends with exit code 2
	Lost func() // called if the hook did not get the answer; nil for none
}
