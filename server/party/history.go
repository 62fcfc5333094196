package party

import (
	"context"
	"errors"
	"slices"
	"time"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// unshared is embedded in types that implement kind.Need and whose result must not be shared: each decision reads
// the data anew.
type unshared struct{}

// Key returns "", so the engine shares the result with no other decision.
func (unshared) Key() string { return "" }

// history is the part of a read (kind.Need) that reads the rows of a session.
type history struct {
	kind string // the kind of conversations that are sessions; one of another kind counts as missing
	id   string
	team *world.Team // provides the speakers' names; nil for the session's own team
	at   time.Time   // the time of the snapshot
}

// loaded is a session that was read. snap is nil if the session does not exist.
type loaded struct {
	saved world.SavedConversation
	snap  *Snapshot
}

// Loaded returns the session for the engine, which keeps the session in memory. It returns nil if the session does not
// exist.
func (l loaded) Loaded() *world.SavedConversation {
	if l.snap == nil {
		return nil
	}
	return &l.saved
}

// historyPage is how many rows are read at once.
const historyPage = 500

// read reads the session and makes its snapshot. To save memory, the snapshot contains the words only of the oldest
// page of rows and of the last row that sets the team task.
func (h history) read(ctx context.Context, from kind.Sources) (out loaded, err error) {
	out.saved, err = from.Conversation(ctx, h.id)
	if errors.Is(err, world.ErrNoConversation) || err == nil && out.saved.Conversation.Kind != h.kind {
		return loaded{}, nil
	}
	if err != nil {
		return loaded{}, err
	}
	var pages [][]world.Message                 // the newest first
	task := false                               // the last row that sets the task was read
	for before, more := int64(0), true; more; { // more is false for the oldest page
		var rows []world.Message
		if rows, more, err = from.Rows(ctx, h.id, "", before, historyPage); err != nil {
			return loaded{}, err
		}
		if len(rows) == 0 {
			break
		}
		before = rows[0].Seq
		for i := range slices.Backward(rows) {
			keep := !more
			if !task && setsTask(rows[i]) {
				task, keep = true, true
			}
			if !keep {
				rows[i].Content = ""
			}
		}
		pages = append(pages, rows)
	}
	slices.Reverse(pages)
	head := out.saved.Conversation
	if h.team != nil {
		head.Team = *h.team
	}
	out.snap = NewSnapshot(head, slices.Concat(pages...), h.at)
	return out, nil
}
