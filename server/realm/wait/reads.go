package wait

import (
	"context"
	"errors"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// This file has the needs (kind.Need: what has to be read from the disk) of retention and of commands that only read.

// unshared is embedded in needs whose result must not be shared: each command reads for itself, because it may have to
// see newer rows than an earlier command.
type unshared struct{}

// Key returns "", so that the queue shares the result with no other command.
func (unshared) Key() string { return "" }

// OldRun asks whether a requestId belongs to an old run of a conversation. A conversation in memory lists only its
// newest runs.
type OldRun struct{ ConversationID, RequestID string }

// Key returns a text that identifies the run, so that commands that need the same run share the result.
func (n OldRun) Key() string { return "run/" + n.ConversationID + "/" + n.RequestID }

// Read returns whether the tables have the run, as a bool.
func (n OldRun) Read(ctx context.Context, from kind.Sources) (any, error) {
	run, _, err := from.RunOf(ctx, n.ConversationID, n.RequestID)
	return run != nil, err
}

// Said reads the run that a chat.send with RequestID has begun, and the row with the words of that chat.send.
type Said struct {
	unshared
	ConversationID, RequestID string
	Known                     bool // the answer to the command is already known, so an error of this read is ignored
}

// Run is the result of the need Said: the run and the row with the words. A field is nil if the tables have no such
// run or row.
type Run struct {
	Run   *world.Run
	Words *world.Message
}

// Read returns the run and the person's words that began it, as a Run.
func (n Said) Read(ctx context.Context, from kind.Sources) (any, error) {
	run, words, err := from.RunOf(ctx, n.ConversationID, n.RequestID)
	if n.Known {
		err = nil
	}
	return Run{run, words}, err
}

// Page reads a page of a conversation's rows for conversation.open.
type Page struct {
	unshared
	ConversationID, StageID string
	Before                  wire.RowRef // the page ends before this row; the zero value means the newest rows
	Limit                   int
	Head                    bool // read the state of the conversation too
}

// Rows is the result of the need Page: rows of a conversation and, if Page.Head is set, the conversation itself.
type Rows struct {
	Saved *world.SavedConversation // nil unless Page.Head
	Rows  []world.Message
	More  bool
}

// Read returns the rows of the page, as a Rows.
func (n Page) Read(ctx context.Context, from kind.Sources) (any, error) {
	var got Rows
	if n.Head {
		saved, err := from.Conversation(ctx, n.ConversationID)
		if err != nil {
			return nil, n.refusal(err)
		}
		got.Saved = &saved
	}
	if n.Limit == 0 {
		return got, nil
	}
	before, err := n.Before.Seq, error(nil)
	if id := n.Before.MessageID; id != "" {
		before, err = from.RowSeq(ctx, n.ConversationID, id)
		switch {
		case err != nil:
			return nil, n.refusal(err)
		case before == 0:
			return nil, wire.Errorf(wire.NotFound, "this conversation has no message %s", id)
		}
	}
	got.Rows, got.More, err = from.Rows(ctx, n.ConversationID, n.StageID, before, n.Limit)
	return got, n.refusal(err)
}

func (n Page) refusal(err error) error {
	if errors.Is(err, world.ErrNoConversation) {
		return kind.NoTalk(n.ConversationID)
	}
	return err
}

// List reads a page of the realm's list of conversations.
type List struct {
	unshared
	world.ConversationQuery
}

// Listed is the result of the need List: a page of the list of conversations.
type Listed struct {
	Conversations []world.ConversationInfo
	More          bool
}

// Read returns the page of the list of conversations, as a Listed.
func (n List) Read(ctx context.Context, from kind.Sources) (any, error) {
	found, more, err := from.Conversations(ctx, n.ConversationQuery)
	return Listed{found, more}, err
}

// Skill reads the files of a skill.
type Skill struct {
	unshared
	Name string
}

// Read returns the texts of the skill's files by path, as a map[string]string.
func (n Skill) Read(_ context.Context, from kind.Sources) (any, error) {
	files, err := from.ReadSkill(n.Name)
	switch {
	case errors.Is(err, world.ErrNoSkill):
		return nil, wire.Errorf(wire.NotFound, "this realm has no skill %s", n.Name)
	case err != nil:
		return nil, errors.Join(wire.Errorf(wire.NotReady, "this skill cannot be read now; the server's log says why"), err)
	}
	return files, nil
}

// Silent reads the conversations that retention is about to mark as abandoned.
type Silent struct {
	unshared
	IDs []string
}

// Read returns those of the conversations that exist, as a []world.SavedConversation.
func (n Silent) Read(ctx context.Context, from kind.Sources) (any, error) {
	var got []world.SavedConversation
	for _, id := range n.IDs {
		saved, err := from.Conversation(ctx, id)
		switch {
		case err == nil:
			got = append(got, saved)
		case !errors.Is(err, world.ErrNoConversation):
			return nil, err
		}
	}
	return got, nil
}
