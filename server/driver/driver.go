// Package driver defines the interface of agents: the request for a turn (Turn), the parts of a driver's output
// (Chunk), and the error of a failed turn (TurnError).
//
// It owns no state and starts no goroutine. The kinds of conversations fill in the Turn. The realm calls Driver.Run, in
// a goroutine of its own for each run. The packages below server/agent implement drivers.
package driver

import (
	"context"

	"agentdungeon/shared/world"
)

// Drivers chooses the drivers of roles.
type Drivers interface {
	// Driver returns the driver that plays a role of the template while no person holds the role, nil for none. Roles
	// with the same id in different templates can have different drivers.
	Driver(t *world.Template, role world.Role) Driver
}

// Modeled is implemented by drivers that play with a language model.
type Modeled interface {
	// Model returns the name of the model. It becomes the field world.Run.Model.
	Model() string
}

// Smith is implemented by drivers that can play the smith of forges. The smith's turns have Turn.Unrecorded set. If no
// driver plays the smith, the forge writes the skill from the person's answers alone.
type Smith interface {
	// PlaysSmith reports whether the driver can play the smith.
	PlaysSmith() bool
}

// Driver plays turns of agents.
type Driver interface {
	// Run plays one turn. It calls emit for each part of its output and returns at the end of the
	// turn. The turn succeeds if Run returns nil and emitted text that is not blank. A *TurnError
	// has the code of the failure. emit blocks while the realm is busy. When the turn is
	// cancelled, ctx is done and emit returns an error; Run must then return soon.
	Run(ctx context.Context, turn Turn, emit func(Chunk) error) error
}

// Turn is the request to a driver to play a turn.
type Turn struct {
	RealmID string
	// Kind is the kind of the conversation. It determines Words: in a chat the person's message that the turn
	// answers, in a council the task, in a party the message that asked for the turn, otherwise "". A turn of a
	// forge answers a request of the forge's plan: Prompt has the request, Window the rows so far, StageID the kind
	// of the request (infer, write or fix) and N its number.
	Kind string
	// Unrecorded is set if only the plan reads the text of the turn and no row stores it. Such a turn has no other
	// effect: the realm refuses its tool calls.
	Unrecorded     bool
	Words          string
	Speaker        string // author of Words in a chat or a party
	ConversationID string
	RequestID      string // requestId of the run
	Instance       string // instance of the agent, as memberId#n
	MemberID       string
	Role           world.Role
	StageID        string
	N              int // number of the role's turn in this attempt, from 1
	Attempt        int
	Completion     string // world.CompleteTurns or world.CompleteSignal; "" outside a process
	Turns          int    // number of turns of a council, where N counts the turns of all members
	Own            int    // number of turns of the council that the member has taken before this one
	// Asked is, in a council, the newest message of a person that is newer than the member's last row and names the
	// member, else such a message that asks something and names no agent, "" for none. Prompt has it too.
	Asked string
	// Team has the members of a council or chat; a council's members speak in this order.
	Team    []world.Member
	Pace    string // world.PaceWatchable or world.PaceInstant
	Problem string // problem statement of the process, which Prompt contains
	Prompt  string // the whole prompt; in a chat or a forge, the prompt without Window
	// Window has the newest rows, oldest first, and at most as many as the setting contextWindowMessages. In a chat
	// these are the rows before Words, in a council what other agents have said after Asked, and in a party after Words.
	Window   []world.Message
	RepoName string
	RepoPath string
	// Findings, Earlier, Quests and Insights hold data that Prompt has as text, for drivers that use the data and
	// not the text. Findings and Earlier have only the findings that the agent may see (B26). Insights has only the
	// agent's own insights. Drivers do not modify them.
	Findings []world.Finding
	Earlier  []world.Finding // findings of earlier processes, including withdrawn ones
	Quests   []world.Quest
	Insights []world.Insight
	// Reviewed is set if the realm has an artifact that records what a review has read, even if that review found
	// nothing.
	Reviewed bool
	// Ended has processes of the realm that have ended, the newest last. A turn of a process has none (B26).
	Ended []Ended
}

// Ended is a process that has ended.
type Ended struct {
	Name, Problem string // the name of its template and its problem; "" if another process has begun since
	Early         bool   // whether a person ended it before its last stage had ended; false as above
	Address       string // the path of its result on the page (P19.6)
	// Artifacts has its result: the artifacts of the last stage that has left some, in the order in which they were made.
	Artifacts []world.Artifact
}

// Chunk is one part of a driver's output. Exactly one field is set.
type Chunk struct {
	Text     string         // the next piece of the answer
	Thought  string         // a thought: clients show it, and it is not stored
	Progress *Progress      // how far a long work is: clients show it, and it is not stored
	Activity *Activity      // the member's activity
	Read     *Read          // the hero walks to this file or folder
	Finding  *world.Finding // the realm fills in id, agent, stage and time where they are empty
	Withdraw *Withdraw
	Prove    *Prove
	Quest    *world.Quest // an existing quest keeps its status and owner
	Artifact *NamedText
	Insight  *world.Insight // added to the member's vault
	Seal     *Seal          // the explicit signal that the stage is done
	Pass     bool           // the member has nothing to say: the turn ends without a word and without a failure
	// Tool announces a tool call. The call is durable when emit returns; only then can the tool
	// act. Every ToolStart needs a ToolEnd.
	Tool       *ToolStart
	ToolOutput *ToolOutput
	ToolEnd    *ToolEnd
}

// ToolStart announces a tool call. CallID is the driver's id of the call, unique in the run.
type ToolStart struct {
	CallID string
	Name   string
	Input  string // JSON or text, for people
	// Reads is set if the tool only reads, or changes nothing outside the realm. If a crash interrupts the call,
	// the turn is repeated. A turn with any other interrupted call is repeated only if a person asks for it.
	Reads bool
}

// ToolOutput is a piece of a tool's output.
type ToolOutput struct {
	CallID string
	Text   string
}

// ToolEnd is the result of a tool call. Output is the whole output of the tool or, if OK is not set, the error.
type ToolEnd struct {
	CallID string
	OK     bool
	Output string
}

// Progress has the number of files that the drivers of the conversation have read, and the number of all files. All
// of these drivers together emit at most one Progress a second.
type Progress struct {
	Read, Total int
}

// Activity is a member's activity during its turn.
type Activity struct {
	Activity string // world.ActivityReading and so on
	Tool     string
}

// NamedText is an artifact that a driver hands over. Coverage is set only if the artifact records what a review has
// read.
type NamedText struct {
	Name     string
	Text     string
	Coverage *world.Coverage
}

// Read is the path, in wire form, of a file or folder that a member reads. The realm ignores a path
// that is not on the map.
type Read struct {
	Path string
}

// Withdraw withdraws a finding because it is wrong, or because the finding Into reports the same
// problem.
type Withdraw struct {
	FindingID string
	Reason    string
	Into      string
}

// Prove proves a suspected finding (world.StateSuspected). Proof says why it is true, with quoted lines.
type Prove struct {
	FindingID string
	Proof     string
}

// Seal is the explicit signal that the current stage is done.
type Seal struct {
	Summary string
}

// TurnError is the error of a failed turn. Code becomes the code of world.ChatError.
type TurnError struct {
	Code    string
	Message string
}

func (e *TurnError) Error() string { return e.Code + ": " + e.Message }
