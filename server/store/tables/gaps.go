package tables

import (
	"context"
	"errors"
	"fmt"

	"agentdungeon/server/store/disk"
)

// A gap stands for events that are lost: a row of journal_packs without events and sum. Salvage
// writes one where the damaged journal had nothing to read, and an erasure in the place of
// events that nobody can read any more. So a whole journal accounts for each number from
// its floor to its head, and whoever reads is told what is missing: a client gets a
// snapshot, a fold goes on behind it.

// ErrGap is an event that is lost for good. It wraps ErrCorrupt.
var ErrGap = fmt.Errorf("%w: a gap", disk.ErrCorrupt)

// gapError says which events are lost.
func gapError(s Span) error {
	return fmt.Errorf("%w: events %d to %d are lost", ErrGap, s.From, s.To)
}

// InsertGap marks the events from..to as lost, inside a transaction that leaves nothing
// else in their place. It joins the gaps right before and behind it.
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

// Lose puts a gap in the place of the events from..to, whatever of them is still there, inside
// a transaction. Of a block that holds others too, those stay where it can be unpacked.
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
