package realm

import (
	"context"
	"errors"
	"sync/atomic"

	"agentdungeon/shared/world"
)

// errErasing is a question to the tables while they are being redacted: they may still
// hold what everybody has let go of.
var errErasing = errors.New("something is being erased; try again in a moment")

// veil is the tables with nobody reading them while they are redacted. What was read when
// that began is not given either.
type veil struct {
	Transcripts
	down  atomic.Bool
	times atomic.Int64 // it was lowered
}

func (v *veil) lower() {
	v.times.Add(1)
	v.down.Store(true)
}

func (v *veil) lift() { v.down.Store(false) }

// through reads, unless the veil is down or comes down meanwhile.
func (v *veil) through(read func() error) error {
	times := v.times.Load()
	if v.down.Load() {
		return errErasing
	}
	err := read()
	if v.times.Load() != times {
		return errErasing
	}
	return err
}

func (v *veil) Conversation(ctx context.Context, id string) (c world.SavedConversation, err error) {
	err = v.through(func() (err error) { c, err = v.Transcripts.Conversation(ctx, id); return err })
	return c, err
}

func (v *veil) Rows(ctx context.Context, conversationID, stageID string, before int64, limit int) (rows []world.Message, more bool, err error) {
	err = v.through(func() (err error) {
		rows, more, err = v.Transcripts.Rows(ctx, conversationID, stageID, before, limit)
		return err
	})
	return rows, more, err
}

func (v *veil) RowSeq(ctx context.Context, conversationID, messageID string) (seq int64, err error) {
	err = v.through(func() (err error) { seq, err = v.Transcripts.RowSeq(ctx, conversationID, messageID); return err })
	return seq, err
}

func (v *veil) RunOf(ctx context.Context, conversationID, requestID string) (run *world.Run, words *world.Message, err error) {
	err = v.through(func() (err error) { run, words, err = v.Transcripts.RunOf(ctx, conversationID, requestID); return err })
	return run, words, err
}

func (v *veil) Conversations(ctx context.Context, q world.ConversationQuery) (page []world.ConversationInfo, more bool, err error) {
	err = v.through(func() (err error) { page, more, err = v.Transcripts.Conversations(ctx, q); return err })
	return page, more, err
}

func (v *veil) Sessions(ctx context.Context, teamID string, limit int) (list []world.SessionInfo, err error) {
	err = v.through(func() (err error) { list, err = v.Transcripts.Sessions(ctx, teamID, limit); return err })
	return list, err
}

func (v *veil) Search(ctx context.Context, q world.SearchQuery) (hits []world.SearchHit, err error) {
	err = v.through(func() (err error) { hits, err = v.Transcripts.Search(ctx, q); return err })
	return hits, err
}

// auditor is a journal that keeps an audit.
type auditor interface {
	Audit(ctx context.Context, since world.Time, after int64, limit int) ([]world.AuditRow, error)
}

// Audit gives rows of the audit, in which nothing is that an erasure is of.
func (v *veil) Audit(ctx context.Context, since world.Time, after int64, limit int) ([]world.AuditRow, error) {
	a, ok := v.Transcripts.(auditor)
	if !ok {
		return nil, errors.New("this journal keeps no audit")
	}
	return a.Audit(ctx, since, after, limit)
}
