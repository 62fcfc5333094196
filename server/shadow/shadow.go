// Package shadow holds what is known of a coding agent that a person runs: its session, the entries of its transcript,
// its state and its use of tokens. The name says that the server only sees the session and has no hold on it.
//
// It owns no state, reads no file and starts no goroutine. The readers below server/reader translate the files of a
// program into these types; the kind coding (server/coding) turns them into events.
package shadow

import (
	"context"
	"time"

	"agentdungeon/shared/world"
)

// Reader reads the sessions of one program. Every file of the program is opened read-only, and a credential is never
// opened. A Reader is used by one goroutine at a time.
type Reader interface {
	// Program returns the name of the program, for example "claude". It is part of ids in journals: it never changes.
	Program() string
	// Sessions returns the sessions that want accepts by their working directory: those that a process holds first, then
	// the others by Session.Changed, the newest first, at most limit. It leaves out a session whose directory is not
	// known yet. Sub-agents have their parent's directory and count against limit. An error says that nothing could be
	// listed; single files that could not be read are counted in Listing.Counts.
	Sessions(ctx context.Context, want func(dir string) bool, limit int) (Listing, error)
	// Read returns the entries of a session after a position: those of about maxBytes of its file, but of at least one
	// record if there is a whole one. The entries do not depend on how often, or at which sizes of the file, Read is
	// called. No entry comes twice, also if the file was truncated, rewritten or moved between two calls.
	Read(ctx context.Context, session Session, after Position, maxBytes int) (Batch, error)
	// State returns what the session does at the time now. after is the position of the last Batch that was read, or
	// "". State never guesses without saying so (State.Source).
	State(ctx context.Context, session Session, after Position, now time.Time) (State, error)
}

// Skipper is a Reader that can leave out sessions before it opens their files. Those that a process holds are never
// left out.
type Skipper interface {
	// Skip sets the function that says which sessions Sessions leaves out, by id and Session.Changed.
	Skip(out func(id string, changed time.Time) bool)
}

// AgentID returns the member id of a session's agent.
func AgentID(program, sessionID string) string { return program + ":" + sessionID }

// Listing is the result of Reader.Sessions.
type Listing struct {
	Sessions []Session
	Total    int // number of sessions that the program has on this machine, as far as they were counted
	Counts   Counts
}

// Session is one session of a program. Two readings of the same session have the same Program and ID.
type Session struct {
	Program string
	ID      string // the program's id, unique within the program; the reader's own for a sub-agent without one
	Parent  string // ID of the session that has started this one as a sub-agent, "" for a main session
	Call    string // CallID of the parent's tool call that started this sub-agent, "" if it is unknown
	Fork    string // ID of the session from which this one was copied, "" for none
	Dir     string // working directory, absolute; the newest one that the transcript names
	Name    string // name or type of a sub-agent, "" for none
	Title   string // title that the program or the person gave the session, "" for none
	File    string // the transcript, for the reader itself; it can change while the ID stays
	Began   time.Time
	Changed time.Time // when the transcript last changed
	Alive   bool      // whether a process of the program holds the session now
	// Terminal is the command that shows the terminal in which the session runs, "" if there is none or it is unknown.
	Terminal string `json:",omitempty"`
}

// Position is where the reading of a session goes on. Its content is the reader's own: JSON, at most MaxPosition bytes,
// readable by every later version. "" is the beginning. It is committed with the events of the entries before it, and
// everybody who may see the realm can see it: it has offsets, ids, sizes and checksums, and no text of the transcript.
type Position string

// MaxPosition limits a Position, in bytes.
const MaxPosition = 4 << 10

// Batch is the result of Reader.Read.
type Batch struct {
	// Session is the session as it is known after the entries.
	Session Session
	Entries []Entry
	// Next is the position after the entries. It can differ from the position before although there are no entries.
	Next Position
	// More is set if another Read would return more now.
	More   bool
	Counts Counts
}

// Counts are numbers for operators: what a reader has met and does not show.
type Counts struct {
	Unknown map[string]int // records by type that this version does not know, at most MaxUnknown types
	Broken  int            // lines that are not JSON
	TooLong int            // records longer than MaxRecord; an entry of kind Lost stands in the place of each
	Hidden  int            // files or folders that could not be read
}

// Bounds of a reader.
const (
	MaxRecord  = 64 << 20 // bytes of one record; a longer one is named and not kept
	MaxUnknown = 64
	MaxText    = 4 << 20 // bytes of Entry.Text; the reader cuts longer ones and sets Entry.Cut
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
	Result    Kind = "result"    // the tool call CallID ended with the output Text
	Turn      Kind = "turn"      // the agent's turn is over
	Stopped   Kind = "stopped"   // a person interrupted the turn
	Failed    Kind = "failed"    // the turn failed; Text is the program's message
	Compacted Kind = "compacted" // the program has replaced the context by a summary
	Titled    Kind = "titled"    // Text is the new title
	Moved     Kind = "moved"     // Text is the new working directory
	Spent     Kind = "spent"     // only Usage
	Stated    Kind = "stated"    // Micros is the price of the session and its sub-agents so far, as the program counts it
	Lost      Kind = "lost"      // a record that was too long or unreadable; Text names it
)

// Entry is one entry of a transcript.
type Entry struct {
	// ID identifies the entry in its session: the same each time the entry is read, also from a rewritten file.
	ID   string
	At   time.Time // as the program recorded it; zero if it did not
	Kind Kind
	Text string
	Cut  bool // Text is only the beginning
	// Human is set if a person typed the prompt, as far as the program says so.
	Human  bool
	CallID string // of Call and Result
	Tool   *Tool  // of Call
	OK     bool   // of Result
	// Person is set if a person decided in the program's own terminal whether the call may run, as far as the record of
	// the Result says so.
	Person bool   `json:",omitempty"`
	Usage  *Usage // what the model was asked for, nil for none; any kind can have one
	Micros int64  `json:",omitempty"` // of Stated, in millionths of a dollar
}

// Tool is a tool call.
type Tool struct {
	Name  string
	Input string // as JSON or as the program's own text, at most MaxInput bytes
	Brief string // the call in a few words, such as "touch x" or "main.go", at most MaxReason bytes
	Reads bool   // the tool only reads
	// Touches has the files that the call names, as far as they can be known from its input. Paths are absolute.
	Touches []Touch
	Asks    bool // the program asks a person before the call, as far as the record says so
	// Withheld is set if the result is not kept, because git ignores a file that the call names. Readers do not set it.
	Withheld bool `json:",omitempty"`
}

// Touch is a file that a tool call reads or edits.
type Touch struct {
	Path string
	Edit bool
	// Place is where on the map the file lies: relative to the linked folder, also if it is the same file of another
	// worktree, whose name Worktree then has. It is "" for a file that has no place. Readers do not set these.
	Place    string `json:",omitempty"`
	Worktree string `json:",omitempty"`
}

// Usage is the use of tokens by one request to a model. If several entries have the usage of one request, they have the
// same Key, and the one with the most tokens counts.
type Usage struct {
	Key        string // the request, unique within the program
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

// State is what a session does, and how that is known.
type State struct {
	Name   string // one of Working to Gone
	Wait   string // for Waiting: one of WaitPermission to WaitTurn
	Reason string // such as "Bash: touch x", "" for none; at most MaxReason bytes
	Source string // one of FromStatus to FromGuess
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

// What a waiting session waits for.
const (
	WaitPermission = world.WaitPermission
	WaitQuestion   = world.WaitQuestion
	WaitPlan       = world.WaitPlan
	WaitTurn       = world.WaitTurn
)

// How a state is known.
const (
	FromStatus     = world.SourceStatus
	FromLock       = world.SourceLock
	FromTranscript = world.SourceTranscript
	FromHook       = world.SourceHook
	FromGuess      = world.SourceGuess
)

// Seen is what was seen of a session since the last time.
type Seen struct {
	Session Session
	Before  Position // the position that Entries follow
	Entries []Entry
	Next    Position // the position after Entries
	State   State    // the zero value if it is not known
	// Heard is set if a hook of the session was heard before the session was found.
	Heard bool
	// Unwatched is set if the server reads no sessions any more: the session may go on, unseen. Only Session and the
	// positions are set then.
	Unwatched bool
}
