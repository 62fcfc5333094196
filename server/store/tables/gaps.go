package tables

import (
	"context"
	"errors"

	"agentdungeon/server/store/disk"
)

// A gap marks lost events. It is a row of journal_packs whose events are empty and whose sum is 0. A salvage
// writes gaps for events that it could not read in the damaged journal. An erasure writes gaps for events that can
// no longer be read. So each number from the journal's floor to its head has an event or a gap. A client that
// reaches a gap gets a snapshot. A fold continues after the gap.

// InsertGap marks the events with the seqs from..to as lost, inside a transaction that has removed all rows and
// blocks in that range. It merges the gap with gaps right before and behind it.
func (w *Writer) InsertGap(from, to int64) error {
	for _, next := range []int64{from - 1, to + 1} {
		p, err := SpanOf(context.Background(), w, next, false)
		if err != nil {
			return err
		}
		if !p.Lost {
			continue
		}
		if _, err := w.Exec("DELETE FROM journal_packs WHERE from_seq = ?", p.From); err != nil {
			return err
		}
		from, to = min(from, p.From), max(to, p.To)
	}
	_, err := w.Exec("INSERT INTO journal_packs (from_seq, to_seq, sum, events) VALUES (?, ?, 0, x'')", from, to)
	return err
}

// Lose replaces the events from..to by a gap, inside a transaction. If a block in the range cannot be unpacked, the
// gap covers the whole block. Of any other block, the events outside the range stay.
func (w *Writer) Lose(from, to int64) error {
	for seq := from; seq <= to; {
		p, err := SpanOf(context.Background(), w, seq, true)
		if err != nil {
			return err
		}
		if p.From == 0 || p.From > to {
			break
		}
		rows, err := ReadPack(context.Background(), w, p.From)
		if err != nil && !errors.Is(err, disk.ErrCorrupt) {
			return err
		}
		if err != nil {
			from, to = min(from, p.From), max(to, p.To)
		}
		if err := w.spread(p.From, rows); err != nil {
			return err
		}
		seq = p.To + 1
	}
	w.unpackedSince(from)
	if _, err := w.Exec("DELETE FROM journal WHERE seq BETWEEN ? AND ?", from, to); err != nil {
		return err
	}
	return w.InsertGap(from, to)
}
