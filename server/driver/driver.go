// Package driver is the interface between a realm and the agents that play turns in it: the
// request for a turn (Turn), what a driver may produce (Chunk), and how a turn fails
// (TurnError).
//
// It owns no state and starts nothing. The realm calls a Driver in a goroutine for each run;
// server/agent/... implement it; the kinds of conversations fill in the Turn.
package driver

import (
	"context"

	"agentdungeon/shared/world"
)

// Drivers returns the driver for a role of a template that no person holds, or nil. A role of the
// same id in another template may have another driver.
type Drivers interface {
	Driver(t *world.Template, role world.Role) Driver
}

// Modeled is a driver that names the model that answers (world.Run.Model).
type Modeled interface {
	Model() string
}

// Smith is a driver that may play the smith of forges. Without one, a forge fills the format by
// itself. A smith's turn has no effect but its text, which answers a forge's request and becomes
// no row.
type Smith interface {
	PlaysSmith() bool
}

// Driver plays turns. A person in a role does the same through chat.send.
type Driver interface {
	// Run plays one turn. It calls emit for everything that it produces and returns when the
	// turn is over. A turn with at least one word of text and a nil error has succeeded; a
	// *TurnError names the code of a failure. emit blocks while the realm is busy. It fails once
	// the turn is cancelled, and so does ctx; Run must return soon after.
	Run(ctx context.Context, turn Turn, emit func(Chunk) error) error
}

// Turn is the request for a turn.
type Turn struct {
	RealmID string
	// Kind of the conversation. In a chat the turn answers Words of a person; in a council Words
	// are the task; in a party Words asked for the turn and may be an agent's; a process has no
	// Words. In a forge the turn answers a request of the plan: Prompt has the question, Window
	// the rows so far, StageID the kind of request (infer, write or fix) and N its number.
	Kind string
	// Heard is set if the turn's text answers Prompt without becoming a row. The turn has no
	// other effect: tools are refused.
	Heard          bool
	Words          string
	Speaker        string // who said Words, in a chat or a party
	ConversationID string
	RequestID      string // of the run
	Instance       string // memberId#n
	MemberID       string
	Role           world.Role
	StageID        string
	StageIndex     int
	N              int // the number of the role's turn in this attempt, from 1
	Attempt        int
	Completion     string // world.CompleteTurns or world.CompleteSignal; "" outside a process
	Turns          int    // the number of turns of a council; N counts the turns of all members
	// Team has the members of a council or chat; in a council they speak in this order.
	Team    []world.Member
	Pace    string // world.PaceWatchable or world.PaceInstant
	Problem string // the process's problem statement; Prompt contains it
	Prompt  string // the whole prompt as text; in a chat or a forge without Window
	// Window has the rows of a chat before Words, oldest first, at most the realm's
	// contextWindowMessages; in a forge all rows up to that number.
	Window   []world.Message
	RepoName string
	RepoPath string
	// Data of the prompt for drivers that do not read text: the findings that the agent may know
	// (B26), the quests, its own vault. Drivers do not modify them.
	Findings []world.Finding
	Earlier  []world.Finding // of earlier processes, including withdrawn ones
	Quests   []world.Quest
	Insights []world.Insight
}

// Chunk is one thing that a driver produces. Exactly one field is set.
type Chunk struct {
	Text     string         // part of the answer, streamed
	Thought  string         // shown but not stored
	Activity *Activity      // what the member is doing
	Read     *Read          // the hero goes to what it reads
	Finding  *world.Finding // id, agent, stage and time are filled in where empty
	Withdraw *Withdraw
	Quest    *world.Quest // an existing quest keeps its state and owner
	Artifact *NamedText
	Insight  *world.Insight // for the vault
	Seal     *Seal          // the explicit signal: this stage is done
	// Tool announces a tool call. emit returns once the call is durable; only then may the tool
	// act. Every ToolStart needs a ToolEnd.
	Tool       *ToolStart
	ToolOutput *ToolOutput
	ToolEnd    *ToolEnd
}

// ToolStart announces a tool call. CallID is the driver's id of the call, unique in the run.
type ToolStart struct {
	CallID string
	Name   string
	Input  string // JSON or words, for people to read
	// Reads is set if the tool only reads, or does nothing outside the realm: after a crash the
	// call may be repeated. A call without Reads is never repeated silently.
	Reads bool
}

// ToolOutput is a piece of a tool's output.
type ToolOutput struct {
	CallID string
	Text   string
}

// ToolEnd is a tool's result: the whole output, or an error.
type ToolEnd struct {
	CallID string
	OK     bool
	Output string
}

// Activity is what a member does during its turn.
type Activity struct {
	Activity string
	Tool     string
}

// NamedText is an artifact from a driver.
type NamedText struct {
	Name string
	Text string
}

// Read is a file or folder that a member reads, by path in wire form. A path that is not on the
// map is ignored.
type Read struct {
	Path string
}

// Withdraw withdraws a finding because it does not hold, or because another one (Into) reports the
// same.
type Withdraw struct {
	FindingID string
	Reason    string
	Into      string
}

// Seal is the signal that a stage is done.
type Seal struct {
	Summary string
}

// TurnError is a failed turn with a code of chat.error.
type TurnError struct {
	Code    string
	Message string
}

func (e *TurnError) Error() string { return e.Code + ": " + e.Message }
