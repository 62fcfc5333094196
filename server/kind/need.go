package kind

import (
	"context"
	"errors"
	"iter"

	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// Need is what a decision lacks and the disk has, as data. A decision that lacks something
// returns it (Decision.Needs, Step.Needs); the engine reads it and has the same thing decided
// again, with what was read in Realm.Met.
type Need interface {
	// Key names what is read: equal keys that wait at the same time are met by one read. "" is
	// shared with nobody.
	Key() string
	// Read is called outside the engine's goroutine: it uses nothing but its own fields, which
	// nobody changes any more, and the sources. The person is told the *wire.Error that an error
	// wraps, else not_ready; an error that is more than that is logged.
	Read(ctx context.Context, from Sources) (any, error)
}

// Met is what was read for the thing that is decided, by the keys of its needs.
type Met map[string]any

// Sources are where needs are read. All methods are safe from any goroutine.
type Sources interface {
	Tables
	// LoadSkills reads all skills, by name, those that are known first where there are too
	// many; an error says nothing of any of them.
	LoadSkills(known []world.Skill) ([]world.SkillText, error)
	// ReadSkill gives the files of a skill by path; world.ErrNoSkill (wrapped).
	ReadSkill(name string) (map[string]string, error)
	// Peek reads small files of the linked folder at path: those at its top of these names that
	// are there, each at most limit bytes and no link.
	Peek(ctx context.Context, path string, names []string, limit int64) (map[string]string, error)
	// SessionFiles names the files of sessions in the realm's folder; an error says why there
	// may be more.
	SessionFiles() (names []string, err error)
	// ReadSession reads one of them, RemoveSession removes one whose session is in the journal.
	ReadSession(name string) ([]byte, error)
	RemoveSession(name string) error
	// Paths are the files of the linked folder as the map has them.
	Paths() iter.Seq[string]
}

// Loaded is what a need gives that has read a whole conversation: the engine keeps that in
// memory, nil for none.
type Loaded interface {
	Loaded() *world.SavedConversation
}

// Tables are the realm's conversations in the journal: all that they give is committed.
type Tables interface {
	// Conversation gives a transcript as Saved has it: head, newest rows, the facts of its
	// plan. world.ErrNoConversation (wrapped) where there is none.
	Conversation(ctx context.Context, id string) (world.SavedConversation, error)
	// Rows gives a window of a transcript, oldest first: at most limit of the newest rows
	// before a seq (0: the newest of all), of one stage where stageID is not "". A tool's
	// row has at most world.MaxToolShown bytes, and says so, unless limit is 1.
	Rows(ctx context.Context, conversationID, stageID string, before int64, limit int) (
		rows []world.Message, more bool, err error)
	// RowSeq is the place of a row, 0 where the conversation has none of that id.
	RowSeq(ctx context.Context, conversationID, messageID string) (int64, error)
	// RunOf is the run of a request and the words that began it, nil where there is none.
	RunOf(ctx context.Context, conversationID, requestID string) (run *world.Run, words *world.Message, err error)
	// Conversations is a page of the list of conversations, who was last updated first.
	Conversations(ctx context.Context, q world.ConversationQuery) (page []world.ConversationInfo, more bool, err error)
	// Sessions are the sessions of a team in which something was said, who was last updated
	// first: at most limit.
	Sessions(ctx context.Context, teamID string, limit int) ([]world.SessionInfo, error)
}

// InMemory needs a conversation to be in memory. The engine puts it there.
type InMemory struct{ ConversationID string }

// Key is the conversation's.
func (n InMemory) Key() string { return "conversation/" + n.ConversationID }

// Read gives a world.SavedConversation.
func (n InMemory) Read(ctx context.Context, from Sources) (any, error) {
	saved, err := from.Conversation(ctx, n.ConversationID)
	if errors.Is(err, world.ErrNoConversation) {
		return nil, NoTalk(n.ConversationID)
	}
	return saved, err
}

// NoTalk says that the realm does not have a conversation.
func NoTalk(id string) *wire.Error {
	return wire.Errorf(wire.NotFound, "there is no conversation %s here", id)
}
