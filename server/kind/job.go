package kind

import (
	"context"

	"agentdungeon/server/driver"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What a kind needs of others, as data: the engine does it off its goroutine and comes
// back with the outcome.

// Job is done for a run once the events that it came with are durable; its outcome is
// told to the kind's Hearer. Exactly one of Ask and Save is set.
type Job struct {
	ConversationID string
	RequestID      string // of the run
	// Ask has a driver answer. The answer is no row: all its words are collected, at most
	// Limit bytes of them, and whatever else the driver makes is refused.
	Ask   driver.Driver
	Turn  driver.Turn
	Limit int
	// Save is a skill to be written.
	Save *world.SkillFiles
}

// Heard is the outcome of a Job.
type Heard struct {
	Answer *Answer
	Saved  *world.SkillFiles // that was asked for
	Err    error             // of the save
}

// Answer is what a driver answered. Code is "" where it did, else one of chat.error's, and
// Err says why, for people.
type Answer struct {
	N    int // of the driver.Turn
	Text string
	Code string
	Err  string
}

// Source are the tables that a Lookup reads: short reads, in a goroutine of its own.
type Source interface {
	// Conversation gives a transcript: head, newest rows, the facts of its plan.
	// world.ErrNoConversation (wrapped) where there is none.
	Conversation(ctx context.Context, id string) (world.SavedConversation, error)
	// Rows gives a window of a transcript, oldest first: at most limit of the newest rows
	// before a seq (0: the newest of all).
	Rows(ctx context.Context, conversationID, stageID string, before int64, limit int) (rows []world.Message,
		more bool, err error)
}

// Lookup is what a decision has to know that lies in the tables.
type Lookup struct {
	// Read looks it up. It is called in a goroutine of its own, perhaps more than once.
	Read func(ctx context.Context, from Source) (any, error)
	// Found decides with what Read gave. Where a command waits for it, an error is the
	// sender's answer.
	Found func(r *Realm, got any, err error) (Found, *wire.Error)
	// Over is told where nothing more is decided: the realm can only be read.
	Over func(r *Realm)
	// Alone: while it is under way the same command, sent again, waits for its answer.
	Alone bool
}

// Found is what a Lookup leads to.
type Found struct {
	Decision
	// Take is a conversation that has to be in memory for it, nil for none.
	Take *world.SavedConversation
	// Remember: a refusal is remembered with the command.
	Remember bool
	// Failed is why nothing could be read, nil for nothing.
	Failed error
}

// Look is what lies in the realm's folders: see Looker.
type Look struct {
	Name  string            // of the linked repository
	Paths []string          // its files, as the map has them
	Texts map[string]string // those that Looker.Files names and that are there
}

// Import is a conversation that comes from a file: rows in their order, each with its id.
type Import struct {
	Head world.Conversation
	Rows []world.Message
}
