package realm

import (
	"context"

	"agentdungeon/shared/world"
)

// Journal is the durable record of a realm. store.Journal is it.
type Journal interface {
	// Commit makes a batch durable in one transaction and returns only then. The
	// same batch may come again after an error. world.ErrBroken (wrapped) means that
	// the journal holds something else and must not be written any more; any
	// other error is worth another try.
	Commit(batch *world.Batch) error
	// Read gives the frames of the events after seq, oldest first, as they were
	// shown: at most limit rows and about 1 MiB. It returns less only at the head.
	Read(ctx context.Context, after int64, limit int) ([]world.Frame, error)
	// Floor is the lowest seq that Read still has, head+1 when it has none.
	Floor() int64
	// SaveBase keeps a world in the journal so that older events may be trimmed.
	SaveBase(c world.Checkpoint) error
	// Idle lets the journal tidy its log; called when nothing waits to be committed.
	Idle()
	Close() error
}

// Files keeps a realm's JSON files. store.RealmFiles is it.
type Files interface {
	// WriteCheckpoint replaces state.json and keeps its predecessor.
	WriteCheckpoint(c world.Checkpoint) error
	// WriteVault replaces knowledge/<agentId>.json.
	WriteVault(v world.Vault) error
}

// Templates gives process templates: embedded ones and those of the worlds folder.
type Templates interface {
	// Template by id, "" for the default. An error says in a sentence for a person
	// that there is none, and which files could not be used.
	Template(id string) (*world.Template, error)
}

// Drivers gives the driver that plays a role of a template when no person holds it,
// or nil. The same role may be another's part in another template.
type Drivers interface {
	Driver(t *world.Template, role world.Role) Driver
}

// Driver plays turns. A person in a role feeds the same inputs through chat.send.
type Driver interface {
	// Run plays one turn: it calls emit for whatever it makes and returns when the
	// turn is over. A nil error with at least one word of text is a turn done; an
	// error is a failed one (a *TurnError names its code). emit blocks while the
	// realm is busy and fails when the turn has been cancelled, as ctx has then
	// too. Run must return soon after.
	Run(ctx context.Context, turn TurnRequest, emit func(Chunk) error) error
}

// Asker is a driver that also answers a person's question beside the plan: words for
// the asker, under the same rules as Run. What is answered fills no slot of the plan.
type Asker interface {
	Ask(ctx context.Context, turn TurnRequest, question string, emit func(Chunk) error) error
}

// TurnRequest is what a driver is told about its turn.
type TurnRequest struct {
	RealmID        string
	ConversationID string
	RequestID      string // of the run
	Instance       string // memberId#n
	MemberID       string
	Role           world.Role
	StageID        string
	StageIndex     int
	N              int // the role's how many-eth turn of this attempt, from 1
	Attempt        int
	Completion     string // world.CompleteTurns or world.CompleteSignal
	Pace           string // world.PaceWatchable or world.PaceInstant
	Problem        string // the process's problem statement; Prompt tells it too
	Prompt         string // all the agent is told, as text
	RepoName       string
	RepoPath       string
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
