// Package shadow has the types that describe a coding agent that a person runs: its session, the entries of its
// transcript, its state and its use of tokens. The package is named shadow because the server does not run the session:
// it sees what the session's files show, and reaches the agent only where a hook of its program asks (Hook).
//
// It owns no state, reads no file and starts no goroutine. The readers below server/reader translate the files of a
// program into these types; the kind coding (server/coding) turns them into events.
package shadow

import (
	"context"
	"time"

	"agentdungeon/shared/world"
)

// Reader reads the sessions of one program. It opens every file of the program read-only, and never opens a credential.
// Only one goroutine at a time uses a Reader.
type Reader interface {
	// Program returns the name of the program, for example "claude". It is part of ids in journals: it never changes.
	Program() string
	// Sessions returns the sessions whose working directory want accepts, at most limit: first those that a process
	// has open, then the others, the newest Session.Changed first. It leaves out a session whose directory is not
	// known yet. Sub-agents have their parent's directory and count against limit. An error means that it could
	// list nothing. Single files that it cannot read are no error; Listing.Counts has their number.
	Sessions(ctx context.Context, want func(dir string) bool, limit int) (Listing, error)
	// Read returns the entries of a session after a position: the entries of about maxBytes of its file, and of at
	// least one record if a complete one follows. The entries do not depend on how often Read is called, or how
	// large the file was at each call. No entry comes twice, not even if the file was truncated, rewritten or moved
	// between two calls.
	Read(ctx context.Context, session Session, after Position, maxBytes int) (Batch, error)
	// State returns what the session does at the time now. after is the position of the last Batch that was read, or "".
	// If the state is a guess, State.Source says so.
	State(ctx context.Context, session Session, after Position, now time.Time) (State, error)
}

// Skipper is a Reader that can leave out sessions before it opens their files. It never leaves out sessions that a
// process has open.
type Skipper interface {
	// Skip sets the function out, which reports by id and Session.Changed whether the method Sessions leaves out a
	// session.
	Skip(out func(id string, changed time.Time) bool)
}

// AgentID returns the member id of a session's agent.
func AgentID(program, sessionID string) string { return program + ":" + sessionID }

// Listing is the result of Reader.Sessions.
type Listing struct {
	Sessions []Session
	Total    int // number of sessions of the program on this machine; the reader may count only some of them
	Counts   Counts
}

// Session describes one session of a program. Program and ID identify it.
type Session struct {
	Program string
	ID      string // id from the program, unique within the program; for a sub-agent without one, an id from the reader
	Parent  string // ID of the parent's session for a sub-agent, "" for a main session
	Call    string // CallID of the parent's tool call that started this sub-agent, "" if unknown
	Fork    string // ID of the session from which this one was copied, "" for none
	Dir     string // working directory, absolute; the newest one in the transcript
	Name    string // name or type of a sub-agent, "" for none
	Title   string // title that the program or the person gave the session, "" for none
	File    string // path of the transcript, for the reader only; it can change while the ID stays
	Began   time.Time
	Changed time.Time // when the transcript last changed
	Alive   bool      // whether a process of the program holds the session now
	// Terminal is the command that attaches to the session's terminal, "" if there is none or it is unknown.
	Terminal string `json:",omitempty"`
}

// Position is the position in a session at which a reader continues. Each reader has a form of its own: JSON, at
// most MaxPosition bytes, readable by every later version. "" is the beginning. A position is committed together
// with the events of the entries before it. Everybody who may see the realm can see it, so it has offsets, ids,
// sizes and checksums, and no text of the transcript.
type Position string

// MaxPosition limits a Position, in bytes.
const MaxPosition = 4 << 10

// Batch is the result of Reader.Read.
type Batch struct {
	// Session is the session as it is known after Entries.
	Session Session
	Entries []Entry
	// Next is the position after the entries. It can differ from the position before them even if there are no entries.
	Next Position
	// More is set if another Read would return more now.
	More   bool
	Counts Counts
}

// Counts has numbers for operators: records and files that a reader has found but does not show.
type Counts struct {
	Unknown map[string]int // records by type that this version does not know, at most MaxUnknown types
	Broken  int            // lines that are not JSON
	TooLong int            // records longer than MaxRecord; each becomes an entry of kind Lost
	Hidden  int            // files or folders that could not be read
}

// Bounds of a reader.
const (
	MaxRecord  = 64 << 20 // bytes of one record; a longer record becomes an entry of kind Lost
	MaxUnknown = 64
	MaxText    = 4 << 20 // bytes of Entry.Text; the reader cuts a longer text and sets Entry.Cut
	MaxInput   = 16 << 10
	MaxReason  = 200 // bytes of State.Reason
)

// Kind is the kind of an Entry.
type Kind string

// Kinds of entries.
const (
	Prompt    Kind = "prompt"    // Text is what a person or another program asked
	Words     Kind = "words"     // Text is what the agent said
	Thought   Kind = "thought"   // Text is the agent's reasoning, where the program keeps it
	Call      Kind = "call"      // Tool begins
	Result    Kind = "result"    // the tool call CallID ended; Text is its output
	Turn      Kind = "turn"      // the agent's turn is over
	Stopped   Kind = "stopped"   // a person or a hook interrupted the turn; Text is what the hook says, "" for a person
	Failed    Kind = "failed"    // the turn failed; Text is the program's message
	Compacted Kind = "compacted" // the program has replaced the context by a summary
	Titled    Kind = "titled"    // Text is the new title
	Moved     Kind = "moved"     // Text is the new working directory
	Spent     Kind = "spent"     // only Usage is set
	Stated    Kind = "stated"    // Micros is the price of the session and its sub-agents so far, as the program counts it
	Notice    Kind = "notice"    // Text is what the program itself told the agent, such as the end of a background task
	Lost      Kind = "lost"      // a record that was too long or unreadable; Text names it
)

// Entry is one entry of a transcript.
type Entry struct {
	// ID identifies the entry in its session: the same each time the entry is read, also from a rewritten file.
	ID   string
	At   time.Time // the time that the program recorded; zero if it recorded none
	Kind Kind
	Text string
	Cut  bool // Text is only the beginning
	// Human is set if the program's record says that a person typed the prompt.
	Human  bool
	CallID string // CallID of the tool call, for Call and Result
	Tool   *Tool  // the tool call, for Call
	OK     bool   // the call succeeded, for Result
	// Person is set if the record of a Result says that a person has allowed or refused the call in the program's
	// own terminal.
	Person bool `json:",omitempty"`
	// Refused is set if the record of a Result says that a person has refused the call.
	Refused bool `json:",omitempty"`
	// Ended is set if the record of a Result says with which status a command ended: OK then says whether that is 0.
	Ended  bool   `json:",omitempty"`
	Usage  *Usage // the token usage of a request to a model, nil for none; entries of every kind can have one
	Micros int64  `json:",omitempty"` // for Stated, in millionths of a dollar
}

// Tool is a tool call.
type Tool struct {
	Name  string
	Input string // JSON or a text in the program's own form, at most MaxInput bytes
	Brief string // a short form of the call, such as "touch x" or "main.go", at most MaxReason bytes
	Reads bool   // the tool only reads
	// Touches has the files that the call names, if its input shows them. Paths are absolute.
	Touches []Touch
	Asks    bool // the record says that the program asks a person before the call
	// Withheld is set if the result must not be stored, because git ignores a file that the call names. Readers do
	// not set it.
	Withheld bool `json:",omitempty"`
}

// Touch is a file that a tool call reads or edits.
type Touch struct {
	Path string
	Edit bool
	// Place is the file's path relative to the linked folder. For a file of another worktree it is the path of the
	// same file in the linked folder, and Worktree is the name of the other worktree. It is "" for a file that is
	// not on the map. Readers do not set these fields.
	Place    string `json:",omitempty"`
	Worktree string `json:",omitempty"`
}

// Usage is the token usage of one request to a model. If several entries have the usage of one request, they have the
// same Key, and the one with the most tokens counts.
type Usage struct {
	Key        string // id of the request, unique within the program
	Model      string
	Input      int // tokens that were not cached
	Output     int
	CacheRead  int
	CacheWrite int // tokens written to a cache for 5 minutes
	CacheLong  int // tokens written to a cache for an hour
	Context    int // tokens in the context after the request, 0 if it is unknown
	Window     int // size of the context, 0 if it is unknown
	// USD is the price that the program recorded for the request, 0 if it records none.
	USD float64
	// Micros is the price in millionths of a dollar, if Priced is set. Readers do not set it.
	Micros int64 `json:",omitempty"`
	Priced bool  `json:",omitempty"`
}

// Tokens returns the tokens of the request.
func (u *Usage) Tokens() world.Tokens {
	return world.Tokens{Input: int64(u.Input), Output: int64(u.Output), CacheRead: int64(u.CacheRead),
		CacheWrite: int64(u.CacheWrite), CacheLong: int64(u.CacheLong)}
}

// State is the state of a session, with the source from which it is known.
type State struct {
	Name   string // a name of a state: Working, Waiting and so on
	Wait   string // for Waiting, the reason: WaitPermission and so on
	Reason string // such as "Bash: touch x", "" for none; at most MaxReason bytes
	Source string // the source of the state: FromStatus and so on
	Since  time.Time
}

// Names of states.
const (
	Working = world.StateWorking
	Waiting = world.StateWaiting
	Shell   = world.StateShell
	Idle    = world.StateIdle
	Ended   = world.StateEnded
	Gone    = world.StateLost
)

// Reasons for which a session waits.
const (
	WaitPermission = world.WaitPermission
	WaitQuestion   = world.WaitQuestion
	WaitPlan       = world.WaitPlan
	WaitTurn       = world.WaitTurn
)

// Sources of a state: how the state is known.
const (
	FromStatus     = world.SourceStatus
	FromLock       = world.SourceLock
	FromTranscript = world.SourceTranscript
	FromHook       = world.SourceHook
	FromGuess      = world.SourceGuess
)

// Seen is the result of reading a session: the entries since the last time, and the present state.
type Seen struct {
	Session Session
	Before  Position // the position after which Entries begin
	Entries []Entry
	Next    Position // the position after Entries
	State   State    // the zero value if the state is unknown
	// Heard is set if a hook of the session called the server before a reader found the session.
	Heard bool
	// Unwatched is set if the server no longer reads sessions. The session may continue, but nothing of it is shown
	// any more. Only Session and the positions are set then.
	Unwatched bool
}
