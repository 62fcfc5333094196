package wait

import (
	"context"
	"errors"

	"agentdungeon/server/kind"
	"agentdungeon/shared/wire"
	"agentdungeon/shared/world"
)

// What commands need that only read. Nobody shares their reads: whoever asks later may have
// seen more.

// OldRun needs to know whether a request began a run of long ago, which the conversation in
// memory has forgotten.
type OldRun struct{ ConversationID, RequestID string }

// Key is the run's.
func (n OldRun) Key() string { return "run/" + n.ConversationID + "/" + n.RequestID }

// Read gives a bool.
func (n OldRun) Read(ctx context.Context, from kind.Sources) (any, error) {
	run, _, err := from.RunOf(ctx, n.ConversationID, n.RequestID)
	return run != nil, err
}

// Said needs the run that a request began. Known: the answer to it is known, and an error only
// means that nothing is known beside it.
type Said struct {
	ConversationID, RequestID string
	Known                     bool
}

// Run is what Said gives; nil fields where there is none.
type Run struct {
	Run   *world.Run
	Words *world.Message
}

// Key is nobody's.
func (Said) Key() string { return "" }

// Read gives a Run.
func (n Said) Read(ctx context.Context, from kind.Sources) (any, error) {
	run, words, err := from.RunOf(ctx, n.ConversationID, n.RequestID)
	if n.Known {
		err = nil
	}
	return Run{run, words}, err
}

// Page needs rows of a conversation, as conversation.open asks for them: at most Limit of
// those before a row, and the conversation itself where Head says so.
type Page struct {
	ConversationID, StageID string
	Before                  wire.RowRef
	Limit                   int
	Head                    bool
}

// Rows are what Page gives.
type Rows struct {
	Saved *world.SavedConversation // nil unless Page.Head
	Rows  []world.Message
	More  bool
}

// Key is nobody's.
func (Page) Key() string { return "" }

// Read gives Rows.
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
			return nil, wire.Errorf(wire.NotFound, "this conversation has no row %s", id)
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

// List needs a page of the list of conversations.
type List struct{ world.ConversationQuery }

// Listed is what List gives.
type Listed struct {
	Conversations []world.ConversationInfo
	More          bool
}

// Key is nobody's.
func (List) Key() string { return "" }

// Read gives a Listed.
func (n List) Read(ctx context.Context, from kind.Sources) (any, error) {
	found, more, err := from.Conversations(ctx, n.ConversationQuery)
	return Listed{found, more}, err
}

// Skill needs the files of a skill by path.
type Skill struct{ Name string }

// Key is nobody's.
func (Skill) Key() string { return "" }

// Read gives a map[string]string.
func (n Skill) Read(_ context.Context, from kind.Sources) (any, error) {
	files, err := from.ReadSkill(n.Name)
	switch {
	case errors.Is(err, world.ErrNoSkill):
		return nil, wire.Errorf(wire.NotFound, "there is no skill %s here", n.Name)
	case err != nil:
		return nil, errors.Join(wire.Errorf(wire.NotReady, "this skill cannot be read now; the server's log says why"), err)
	}
	return files, nil
}

// Silent needs those of the conversations that are there to be in memory.
type Silent struct{ IDs []string }

// Key is nobody's.
func (Silent) Key() string { return "" }

// Read gives a []world.SavedConversation.
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
