package wire

import "fmt"

// Protocol is the version of the contract that server:info and hello carry.
const Protocol = 1

// Code is the code of an error frame.
type Code string

// The codes of the contract. If the answer to a command is an error with a code, the command has
// changed nothing.
const (
	BadJSON     Code = "bad_json"
	UnknownType Code = "unknown_type"
	BadField    Code = "bad_field"
	NotFound    Code = "not_found"
	NotAllowed  Code = "not_allowed"
	Conflict    Code = "conflict"
	TooLarge    Code = "too_large"
	RateLimited Code = "rate_limited"
	NotReady    Code = "not_ready"
	Unsaved     Code = "unsaved"
	Internal    Code = "internal"
)

// Error is the answer to a refused command: a code and a short sentence for people that says what
// to do.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Errorf returns an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// CloseCode is a WebSocket close code. A client must not reconnect after the codes 4500 to 4999. After every other code
// it should reconnect.
type CloseCode int

// Close codes of the contract.
const (
	CloseGoingAway  CloseCode = 1001
	CloseBinary     CloseCode = 1003
	CloseNotUTF8    CloseCode = 1007
	CloseTooLarge   CloseCode = 1009
	CloseTooSlow    CloseCode = 4008
	CloseNoHello    CloseCode = 4408
	CloseElsewhere  CloseCode = 4501
	CloseNotAllowed CloseCode = 4503
	CloseBadFrames  CloseCode = 4504
	CloseProtocol   CloseCode = 4505
)

// Limits of the contract.
const (
	MaxFrame       = 64 << 10  // bytes of a client frame unless configured
	MaxID          = 64        // characters of A-Za-z0-9_-
	MaxAgentID     = 256       // bytes of the id of a coding agent: its program and the program's own id
	MaxName        = 40        // characters, no control characters
	MaxText        = 32 << 10  // bytes of a message of a person
	MaxAnswers     = 16        // answers to the questions of one door
	MaxPath        = 4096      // bytes
	MaxLine        = 1 << 30   // highest number of a line
	MaxBadFrames   = 50        // bad frames in a row, after which the socket is closed
	MaxSpectators  = 200       // entries of spectator:list
	MaxLeft        = 32        // people who have left, in spectator:list
	MaxMapFolders  = 256       // folders in map:changed; if more have changed, the frame has "all"
	MaxFileChanges = 64        // newest changes in map:changed
	ViewMessages   = 50        // newest messages of a conversation in world:state
	ViewBytes      = 192 << 10 // bytes of all messages in world:state, roughly; the longest transcript is cut first
	ViewChats      = 8         // chats in world:state, those with the newest messages; conversation.list has the others
	MaxMembers     = 16        // members of a council
	MaxTitle       = 120       // bytes of a conversation's title
	MaxTaskPrompt  = 16 << 10  // bytes
	MaxCouncil     = 100       // turns of a council
	MaxListed      = 200       // conversations of conversation.listed
	MaxOpened      = 200       // messages of a snapshot
	MaxChoices     = 16        // options chosen in a chat.send
	MaxSessions    = 10        // newest sessions of a team in team:listed
	RecentEvents   = 100       // newest events in the field recent of world:state
	RecentBytes    = 96 << 10  // total bytes of the events in the field recent
	RoomsBytes     = 128 << 10 // bytes of the rooms in world:state
	HelloTimeoutMS = 10_000
)
