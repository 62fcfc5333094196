package salvage

import (
	"context"
	"fmt"

	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Journal is the new journal of a salvage while it is written.
type Journal struct {
	// Floor is the seq of the first event that the journal has or records as lost. Head is the highest seq that is
	// known to be assigned. Gaps stand for the events between the two that cannot be read.
	Floor, Head int64
	Events      int64 // number of events copied
	Rows        int64 // number of rows of transcripts copied
	Heads       int64 // number of heads of conversations that could be read only in part
	LastGap     int64 // the last event that is lost, 0 if there is none

	source *Source
	w      *tables.Writer
	sealed int64 // rows up to this seq must have a checksum; a row without one is damaged
	erased map[string]bool
}

// Copy copies what can be read of source into w, a new journal without rows, and records gaps for the events that it
// could not copy. If source is nil, Copy copies nothing. floor is the lowest seq that the damaged journal kept
// (tables.MetaFloor), 0 if that is unknown. head is the highest seq that the caller knows to be assigned; Copy finds
// higher ones in source.
func Copy(ctx context.Context, source *Source, w *tables.Writer, floor, head int64) (*Journal, error) {
	j := &Journal{Floor: head + 1, Head: head, source: source, w: w, erased: map[string]bool{}}
	if source == nil {
		return j, nil
	}
	if err := j.copyEvents(ctx, floor); err != nil {
		return nil, err
	}
	if err := j.copyRows(ctx); err != nil {
		return nil, fmt.Errorf("copy rows: %w", err)
	}
	for _, t := range []struct{ table, key, order string }{
		{"conversations", "n", ""}, {"commands", "n", ""}, {"audit", "n", ""},
		{"runs", "", "conversation_id, request_id"}, {"forges", "", "conversation_id"}, {"erasures", "", "erasure_id"},
	} {
		if err := j.copyTable(ctx, t.table, t.key, t.order); err != nil {
			return nil, fmt.Errorf("copy %s: %w", t.table, err)
		}
	}
	for _, key := range []string{tables.MetaAge, tables.MetaSettings, tables.MetaVaults} {
		if value := source.Meta(ctx, key); value != "" {
			if err := w.SetMeta(key, value); err != nil {
				return nil, err
			}
		}
	}
	if err := j.mendHeads(ctx); err != nil {
		return nil, err
	}
	// Record the gaps before anything reads the events: EachEvent continues after a gap, but stops where a number is
	// missing.
	return j, j.markGaps(ctx)
}

// Complete restores from events what Copy could not read, gives each conversation a head, and marks the damaged rows.
// w is the world from which the realm continues.
func (j *Journal) Complete(ctx context.Context, w *world.World, now world.Time) error {
	if err := j.findErased(ctx, w); err != nil {
		return err
	}
	if err := j.fill(ctx); err != nil {
		return err
	}
	if err := j.addHeads(ctx, w, now); err != nil {
		return err
	}
	if j.Events == 0 { // the journal begins after the head: nothing before it can be read
		j.Floor = j.Head + 1
	}
	return j.markRows(ctx)
}

// markGaps records gaps for missing events from the floor to the head.
func (j *Journal) markGaps(ctx context.Context) error {
	if j.Events == 0 { // without events the journal needs no gaps: see Complete
		return nil
	}
	var gaps []tables.Span
	next := j.Floor
	present := func(from, to int64) {
		if from > next {
			gaps = append(gaps, tables.Span{From: next, To: from - 1})
		}
		next = to + 1
	}
	for next <= j.Head {
		block, err := tables.SpanOf(ctx, j.w, next, true)
		if err != nil {
			return err
		}
		last := j.Head
		if block.From > 0 {
			last = block.From - 1
		}
		if err := tables.EachRowFrom(j.w, next, last, func(e *tables.EventRow) bool {
			present(e.Seq, e.Seq)
			return true
		}); err != nil {
			return err
		}
		if block.From > 0 {
			present(block.From, block.To)
		} else {
			present(j.Head+1, j.Head)
		}
	}
	for _, g := range gaps {
		j.LastGap = g.To
		if err := j.w.InsertGap(g.From, g.To); err != nil {
			return err
		}
	}
	return nil
}

// markRows marks the rows whose checksum is wrong, so that a later check distinguishes new damage from damage
// that is known and shown.
func (j *Journal) markRows(ctx context.Context) error {
	sums := map[int64]int64{} // the wrong checksum to write, by the seq of the damaged row
	if err := tables.EachStored(ctx, j.w, func(row *tables.StoredRow) {
		if row.Damaged && !row.Marked() && row.Sum.Valid {
			sums[row.Seq] = row.MarkedSum()
		}
	}); err != nil {
		return fmt.Errorf("look for damaged rows: %w", err)
	}
	for seq, sum := range sums {
		if _, err := j.w.Exec("UPDATE messages SET sum = ? WHERE seq = ?", sum, seq); err != nil {
			return fmt.Errorf("mark a damaged row: %w", err)
		}
	}
	return nil
}
