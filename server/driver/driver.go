// Package driver is the port between a realm and the agents that play turns in it: what
// an agent is told about a turn, what it may make in one, and how a turn fails.
//
// It owns no state and starts nothing. The realm calls a Driver in a goroutine of the
// run; server/agent/... implement it; the kinds of conversations say what a Turn tells.
package driver

import (
	"context"

	"agentdungeon/shared/world"
)

// Drivers gives the driver that plays a role of a template when no person holds it,
// or nil. The same role may be another's part in another template.
type Drivers interface {
	Driver(t *world.Template, role world.Role) Driver
}

// Modeled is a driver that says what answers (world.Run.Model): a model's name.
type Modeled interface {
	Model() string
}

// Smith is a driver that says whether it plays the smith of forges. Without one a forge
// fills the format by itself. A smith's turn has no effect but its words: they are the
// answer to a forge's request, and no row.
type Smith interface {
	PlaysSmith() bool
}

// Driver plays turns. A person in a role feeds the same inputs through chat.send.
type Driver interface {
	// Run plays one turn: it calls emit for whatever it makes and returns when the
	// turn is over. A nil error with at least one word of text is a turn done; an
	// error is a failed one (a *TurnError names its code). emit blocks while the
	// realm is busy and fails when the turn has been cancelled, as ctx has then
	// too. Run must return soon after.
	Run(ctx context.Context, turn Turn, emit func(Chunk) error) error
}

// Turn is what a driver is told about its turn.
type Turn struct {
	RealmID string
	// Kind of the conversation. In a chat the turn answers Words, a person's; in a council
	// Words are its task; in a party they are those that asked for the turn, which may be an
	// agent's. A process has no Words. In a forge the turn answers a request
	// of the plan's: Prompt says what is asked for, Window is what was said, StageID is the
	// request's kind (infer, write or fix) and N its number.
	Kind string
	// Heard: the words are heard and not shown. They are the answer to Prompt, no row, and a turn
	// has no other effect: tools are refused.
	Heard          bool
	Words          string
	Speaker        string // whose words they are, in a chat or a party
	ConversationID string
	RequestID      string // of the run
	Instance       string // memberId#n
	MemberID       string
	Role           world.Role
	StageID        string
	StageIndex     int
	N              int // the role's how many-eth turn of this attempt, from 1
	Attempt        int
	Completion     string // world.CompleteTurns or world.CompleteSignal; "" outside a process
	Turns          int    // how many turns a council has; N counts them, all members together
	// Team is who takes part in a council or a chat; in a council they speak in this order.
	Team    []world.Member
	Pace    string // world.PaceWatchable or world.PaceInstant
	Problem string // the process's problem statement; Prompt tells it too
	Prompt  string // all the agent is told, as text; in a chat or a forge all but Window
	// Window are the rows of a chat before its newest words, oldest first: at most the
	// realm's contextWindowMessages of them; of a forge all rows up to as many.
	Window   []world.Message
	RepoName string
	RepoPath string
	// What the agent is told beside the text, for drivers that count instead of reading:
	// the findings that it may know (B26), the quests, its own vault. Not to be changed.
	Findings []world.Finding
	Earlier  []world.Finding // of processes before this one, withdrawn ones too
	Quests   []world.Quest
	Insights []world.Insight
}

// Chunk is one thing a driver makes; exactly one field is set.
type Chunk struct {
	Text     string         // words of the answer, streamed
	Thought  string         // shown, never kept
	Activity *Activity      // what the member is doing
	Read     *Read          // what it reads now; its hero goes there
	Finding  *world.Finding // id, agent, stage and time are filled in where empty
	Withdraw *Withdraw
	Quest    *world.Quest // offered: one that is there keeps its state and its owner
	Artifact *NamedText
	Insight  *world.Insight // for the vault
	Seal     *Seal          // the explicit signal: this stage is done
	// Tool says that a tool is about to act: emit returns once that is durable, and only
	// then may it act. Every start has an end.
	Tool       *ToolStart
	ToolOutput *ToolOutput
	ToolEnd    *ToolEnd
}

// ToolStart is a tool that is about to act. CallID is the driver's own name of the
// call, of which a run has each once.
type ToolStart struct {
	CallID string
	Name   string
	Input  string // JSON or words, for people to read
	// Reads says that the tool only looks, or does nothing outside the realm: after a
	// crash it may act again unasked. One that does not is never repeated in silence.
	Reads bool
}

// ToolOutput is what a tool has given so far, in pieces.
type ToolOutput struct {
	CallID string
	Text   string
}

// ToolEnd is a tool's result: all that it gave, or what went wrong.
type ToolEnd struct {
	CallID string
	OK     bool
	Output string
}

// Activity of a member while its turn runs.
type Activity struct {
	Activity string
	Tool     string
}

// NamedText is an artifact that a driver hands over by itself.
type NamedText struct {
	Name string
	Text string
}

// Read is a file or a folder that a member reads, by path in wire form. One that is
// not on the map is passed over.
type Read struct {
	Path string
}

// Withdraw says that a finding does not hold, or that another says it too (Into).
type Withdraw struct {
	FindingID string
	Reason    string
	Into      string
}

// Seal says that a stage is done.
type Seal struct {
	Summary string
}

// TurnError is a failed turn with a code of chat.error.
type TurnError struct {
	Code    string
	Message string
}

func (e *TurnError) Error() string { return e.Code + ": " + e.Message }
