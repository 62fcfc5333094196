package store

import (
	"context"
	"errors"
	"fmt"
)

// A gap stands for events that are lost: a row of journal_packs without events and sum. Salvage
// writes one where the damaged journal had nothing to read, and an erasure in the place of
// events that nobody can read any more. So a whole journal accounts for each number from
// its floor to its head, and whoever reads is told what is missing: a client gets a
// snapshot, a fold goes on behind it.

// errGap is an event that is lost for good. It wraps ErrCorrupt.
var errGap = fmt.Errorf("%w: a gap", ErrCorrupt)

// gapError says which events are lost.
func gapError(s packSpan) error {
	return fmt.Errorf("%w: events %d to %d are lost", errGap, s.from, s.to)
}

// insertGap marks the events from..to as lost, inside a transaction that leaves nothing
// else in their place. It joins the gaps right before and behind it.
func (w *writer) insertGap(from, to int64) error {
	for _, next := range []int64{from - 1, to + 1} {
		p, err := packOf(context.Background(), w.conn, next, false)
		if err != nil {
			return err
		}
		if !p.lost {
			continue
		}
		if _, err := w.exec("DELETE FROM journal_packs WHERE from_seq = ?", p.from); err != nil {
			return err
		}
		from, to = min(from, p.from), max(to, p.to)
	}
	_, err := w.exec("INSERT INTO journal_packs (from_seq, to_seq, sum, events) VALUES (?, ?, 0, x'')", from, to)
	return err
}

// lose puts a gap in the place of the events from..to, whatever of them is still there, inside
// a transaction. Of a block that holds others too, those stay where it can be unpacked.
func (w *writer) lose(from, to int64) error {
	for seq := from; seq <= to; {
		p, err := packOf(context.Background(), w.conn, seq, true)
		if err != nil {
			return err
		}
		if p.from == 0 || p.from > to {
			break
		}
		rows, err := readPack(context.Background(), w.conn, p.from)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		if err != nil {
			from, to = min(from, p.from), max(to, p.to)
		}
		if _, err := w.exec("DELETE FROM journal_packs WHERE from_seq = ?", p.from); err != nil {
			return err
		}
		for i := range rows {
			if err := w.insertEvent(&rows[i]); err != nil {
				return err
			}
		}
		seq = p.to + 1
	}
	w.unpackedSince(from)
	if _, err := w.exec("DELETE FROM journal WHERE seq BETWEEN ? AND ?", from, to); err != nil {
		return err
	}
	return w.insertGap(from, to)
}
