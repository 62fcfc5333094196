package erasure

import (
	"context"
	"errors"
	"sync/atomic"

	"agentdungeon/server/kind"
	"agentdungeon/shared/world"
)

// ErrRedacting is the error of a read during a redaction, because the tables may still contain erased words.
var ErrRedacting = errors.New("something is being erased; try again in a moment")

// Transcripts reads the conversations of a journal. Any goroutine may call it except the actor's.
// journal.Journal implements it.
type Transcripts interface {
	kind.Tables
	// Search returns the rows that contain the words of q, the best match first.
	Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error)
	// People returns the people whom the rows and events name, by id, each with all names.
	People(ctx context.Context) ([]world.KnownPerson, error)
	// Remarks returns what people said to everybody, the oldest first: the newest world.MaxRemarks.
	Remarks(ctx context.Context) ([]world.Remark, error)
}

// Tables guards the transcripts of a realm: a read that overlaps with a redaction fails with ErrRedacting. The
// methods are safe for concurrent use.
type Tables struct {
	Transcripts
	closed atomic.Bool
	era    atomic.Int64
}

// NewTables returns tables that read from t.
func NewTables(t Transcripts) *Tables { return &Tables{Transcripts: t} }

// Era returns the number of times that the tables were closed. A result that was read in an earlier era may
// contain words that were erased later.
func (t *Tables) Era() int64 { return t.era.Load() }

func (t *Tables) close() {
	t.era.Add(1)
	t.closed.Store(true)
}

func (t *Tables) reopen() { t.closed.Store(false) }

// guard calls read. It returns ErrRedacting if the tables are closed before or during read.
func (t *Tables) guard(read func() error) error {
	era := t.era.Load()
	if t.closed.Load() {
		return ErrRedacting
	}
	err := read()
	if t.era.Load() != era {
		return ErrRedacting
	}
	return err
}

func (t *Tables) Conversation(ctx context.Context, id string) (c world.SavedConversation, err error) {
	err = t.guard(func() (err error) { c, err = t.Transcripts.Conversation(ctx, id); return err })
	return c, err
}

func (t *Tables) Rows(ctx context.Context, conversationID, stageID string, before int64, limit int) (
	rows []world.Message, more bool, err error,
) {
	err = t.guard(func() (err error) {
		rows, more, err = t.Transcripts.Rows(ctx, conversationID, stageID, before, limit)
		return err
	})
	return rows, more, err
}

func (t *Tables) RowSeq(ctx context.Context, conversationID, messageID string) (seq int64, err error) {
	err = t.guard(func() (err error) {
		seq, err = t.Transcripts.RowSeq(ctx, conversationID, messageID)
		return err
	})
	return seq, err
}

func (t *Tables) RunOf(ctx context.Context, conversationID, requestID string) (
	run *world.Run, words *world.Message, err error,
) {
	err = t.guard(func() (err error) {
		run, words, err = t.Transcripts.RunOf(ctx, conversationID, requestID)
		return err
	})
	return run, words, err
}

func (t *Tables) Conversations(ctx context.Context, q world.ConversationQuery) (
	page []world.ConversationInfo, more bool, err error,
) {
	err = t.guard(func() (err error) { page, more, err = t.Transcripts.Conversations(ctx, q); return err })
	return page, more, err
}

func (t *Tables) Sessions(ctx context.Context, teamID string, limit int) (list []world.SessionInfo, err error) {
	err = t.guard(func() (err error) { list, err = t.Transcripts.Sessions(ctx, teamID, limit); return err })
	return list, err
}

func (t *Tables) Search(ctx context.Context, q world.SearchQuery) (hits []world.SearchHit, err error) {
	err = t.guard(func() (err error) { hits, err = t.Transcripts.Search(ctx, q); return err })
	return hits, err
}

// People returns the people whom the journal names.
func (t *Tables) People(ctx context.Context) (list []world.KnownPerson, err error) {
	err = t.guard(func() (err error) { list, err = t.Transcripts.People(ctx); return err })
	return list, err
}

// Remarks returns what people said to everybody.
func (t *Tables) Remarks(ctx context.Context) (list []world.Remark, err error) {
	err = t.guard(func() (err error) { list, err = t.Transcripts.Remarks(ctx); return err })
	return list, err
}

// auditor is a journal that keeps an audit.
type auditor interface {
	Audit(ctx context.Context, since world.Time, after int64, limit int) ([]world.AuditRow, error)
}

// Audit returns rows of the audit. It also works during a redaction, because erasures remove nothing from the
// audit.
func (t *Tables) Audit(ctx context.Context, since world.Time, after int64, limit int) ([]world.AuditRow, error) {
	a, ok := t.Transcripts.(auditor)
	if !ok {
		return nil, errors.New("this journal keeps no audit")
	}
	return a.Audit(ctx, since, after, limit)
}
