package kind

import (
	"context"
	"errors"
	"iter"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Need is data on disk that a decision lacks. The decision returns it (Decision.Needs,
// Step.Needs); the engine reads it and repeats the decision with the result in Realm.Met.
type Need interface {
	// Key identifies the data: needs with equal keys that wait at the same time share one read. A need with the
	// key "" shares no read.
	Key() string
	// Read is called outside the engine's goroutine. It uses only the sources and the fields of the need, which no
	// longer change. If Read returns an error that wraps a *wire.Error, the person sees that *wire.Error. Any other
	// error is logged, and the person sees not_ready.
	Read(ctx context.Context, from Sources) (any, error)
}

// Met has the results of the needs that were read for the decision under way, by key.
type Met map[string]any

// Sources has the methods by which needs are read. All methods are safe for concurrent use.
type Sources interface {
	Tables
	// LoadSkills reads all skills and returns them sorted by name. If there are too many, it prefers skills in known.
	// err is the error of reading the skills folder; SkillText.Bad has the error of a single skill.
	LoadSkills(known []world.Skill) ([]world.SkillText, error)
	// ReadSkill returns the files of a skill by path. The error wraps world.ErrNoSkill if there is no skill of that name.
	ReadSkill(name string) (map[string]string, error)
	// Peek reads small files at the top of the linked folder, whose path is path. It reads each file in names that
	// exists, has at most limit bytes and is no link.
	Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error)
	// SessionFiles returns the names of the session files in the realm's folder. If err is not nil, names may be
	// incomplete.
	SessionFiles() (names []string, err error)
	// ReadSession reads a session file. RemoveSession removes a session file after its session is in the journal.
	ReadSession(name string) ([]byte, error)
	RemoveSession(name string) error
	// Paths returns the paths of the files of the linked folder, encoded as on the map.
	Paths() iter.Seq[string]
}

// Loaded is implemented by the result of a Need that has read a whole conversation. The engine keeps the
// conversation in memory; nil means that there is none.
type Loaded interface {
	Loaded() *world.SavedConversation
}

// Tables reads the realm's conversations from the journal, which has only committed rows.
type Tables interface {
	// Conversation returns a transcript as a world.SavedConversation: its head, its newest rows, and the runs that
	// its plan needs. The error wraps world.ErrNoConversation if there is no such conversation.
	Conversation(ctx context.Context, id string) (world.SavedConversation, error)
	// Rows returns a window of a transcript, oldest first: the newest limit rows before the seq before, or the newest
	// limit rows of the transcript if before is 0. If stageID is not "", it returns only rows of that stage. It cuts
	// the row of a tool to world.MaxToolShown bytes and marks it as cut, unless limit is 1.
	Rows(ctx context.Context, conversationID, stageID string, before int64, limit int) (
		rows []world.Message, more bool, err error)
	// RowSeq returns the seq of a row, or 0 if the conversation has no such row.
	RowSeq(ctx context.Context, conversationID, messageID string) (int64, error)
	// RunOf returns the run with a requestId, and the row with the words that began the run. Each is nil if there
	// is none.
	RunOf(ctx context.Context, conversationID, requestID string) (run *world.Run, words *world.Message, err error)
	// Conversations returns a page of the list of conversations, last updated first.
	Conversations(ctx context.Context, q world.ConversationQuery) (page []world.ConversationInfo, more bool, err error)
	// Sessions returns at most limit sessions of a team in which something was said, last
	// updated first.
	Sessions(ctx context.Context, teamID string, limit int) ([]world.SessionInfo, error)
}

// InMemory is the Need of a decision for which a conversation must be in memory. The engine loads the conversation.
type InMemory struct{ ConversationID string }

// Key returns the key of the conversation.
func (n InMemory) Key() string { return "conversation/" + n.ConversationID }

// Read returns a world.SavedConversation.
func (n InMemory) Read(ctx context.Context, from Sources) (any, error) {
	saved, err := from.Conversation(ctx, n.ConversationID)
	if errors.Is(err, world.ErrNoConversation) {
		return nil, NoTalk(n.ConversationID)
	}
	return saved, err
}

// NoTalk returns the error for a conversation that the realm does not have.
func NoTalk(id string) *wire.Error {
	return wire.Errorf(wire.NotFound, "this realm has no conversation %s", id)
}
