package salvage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/tables"
)

// copyTable copies a table in the order of its integer key. If the table has none, key is "" and order is the list
// of columns by which the table is sorted.
func (j *Journal) copyTable(ctx context.Context, table, key, order string) error {
	to, err := j.target(ctx, table, key)
	if err != nil {
		return err
	}
	insert := func(v []any) error {
		_, _, err := to.insert(v)
		return err
	}
	if key == "" {
		return j.source.eachInOrder(ctx, table, order, to.names(), insert)
	}
	return j.source.eachByKey(ctx, table, key, to.names()[1:], 0, insert)
}

// copyEvents copies the events whose checksums are right, in blocks or in rows, and sets Floor and Head.
func (j *Journal) copyEvents(ctx context.Context, floor int64) error {
	first := int64(math.MaxInt64)
	copied := func(from, to int64) {
		j.Events += to - from + 1
		first, j.Head = min(first, from), max(j.Head, to)
	}
	var blocks []tables.Span
	if err := j.source.eachByKey(ctx, "journal_packs", "from_seq", []string{"to_seq", "sum", "events"}, j.Head,
		func(v []any) error {
			from, to, sum, events := v[0].(int64), asInt(v[1]), asInt(v[2]), asBytes(v[3])
			if from < 1 || len(blocks) > 0 && from <= blocks[len(blocks)-1].To {
				return nil
			}
			rows, err := tables.Unpack(from, to, sum, events)
			if err != nil {
				return nil
			}
			for i := range rows {
				if readable, err := isReadable(&rows[i]); err != nil || !readable {
					return err
				}
			}
			blocks = append(blocks, tables.Span{From: from, To: to})
			copied(from, to)
			_, err = j.w.Exec("INSERT INTO journal_packs (from_seq, to_seq, sum, events) VALUES (?, ?, ?, ?)", from, to, sum,
				events)
			return err
		}); err != nil {
		return fmt.Errorf("copy blocks of events: %w", err)
	}
	columns := strings.Split(strings.TrimPrefix(tables.EventColumns, "seq, "), ", ")
	if err := j.source.eachByKey(ctx, "journal", "seq", columns, j.Head, func(v []any) error {
		e := tables.EventRow{
			Seq: v[0].(int64), At: asInt(v[1]), Type: asText(v[2]), V: asInt(v[3]), RequestID: asText(v[4]),
			TextAt: asInt(v[5]), Sum: asInt(v[6]),
			MessageID: sql.NullString{String: asText(v[7]), Valid: v[7] != nil}, Frame: asBytes(v[8]),
		}
		if readable, err := isReadable(&e); err != nil || !readable {
			return err
		}
		if i, _ := slices.BinarySearchFunc(blocks, e.Seq, func(b tables.Span, seq int64) int {
			return cmp.Compare(b.To, seq)
		}); i < len(blocks) && blocks[i].From <= e.Seq {
			return nil
		}
		// fresh is false if an event with this seq was copied before.
		if fresh, err := j.w.AddEvent(&e); err != nil || !fresh {
			return err
		}
		copied(e.Seq, e.Seq)
		return nil
	}); err != nil {
		return fmt.Errorf("copy events: %w", err)
	}
	if floor < 1 {
		floor = first
	}
	j.Floor = min(floor, first)
	if j.Floor < 1 || j.Floor > j.Head+1 {
		j.Floor = j.Head + 1
	}
	return nil
}

// isReadable reports whether an event is what was stored. It returns ErrNewer for an event that this version
// does not know.
func isReadable(e *tables.EventRow) (bool, error) {
	_, err := e.Event()
	if errors.Is(err, disk.ErrNewer) {
		return false, err
	}
	return err == nil, nil
}

// maxAhead is how far the seq of a transcript's row may be beyond the seq of the last copied event; a seq that is
// farther is unusable. maxMisplaced is the maximum number of rows without a usable seq that are kept.
const (
	maxAhead     = 1 << 20
	maxMisplaced = 1000
)

// copyRows copies the rows of transcripts. A damaged row keeps or gets a wrong checksum, which marks it as damaged.
// Rows without a usable seq are put behind the others.
func (j *Journal) copyRows(ctx context.Context) error {
	to, err := j.target(ctx, "messages", "seq")
	if err != nil {
		return err
	}
	if to.index("message_id") < 0 {
		return nil
	}
	j.sealed = math.MaxInt64
	if until, err := strconv.ParseInt(j.source.Meta(ctx, tables.MetaPlain), 10, 64); err == nil {
		j.sealed = until // rows after this seq may have no checksum, because tidying has not reached them yet
	}
	known := j.Head
	var misplaced [][]any
	if err := j.source.eachByKey(ctx, "messages", "seq", to.names()[1:], j.Head, func(v []any) error {
		seq := v[0].(int64)
		placed := seq >= 1 && seq <= known+maxAhead
		if placed {
			if placed, err = j.copyRow(to, v, seq <= known); err != nil {
				return err
			}
		}
		if !placed && len(misplaced) < maxMisplaced {
			misplaced = append(misplaced, slices.Clone(v))
		}
		return nil
	}); err != nil {
		return err
	}
	for _, v := range misplaced {
		v[0] = j.Head + 1
		if _, err := j.copyRow(to, v, true); err != nil {
			return err
		}
	}
	return nil
}

// copyRow copies a row, unless the new journal already has a row with the same id. known is set unless the row's seq
// is beyond the last known event. placed is false if the row needs another seq: another row already has that seq, or
// the row is damaged and its seq is not known.
func (j *Journal) copyRow(to *target, v []any, known bool) (placed bool, err error) {
	id := asText(v[to.index("message_id")])
	inserted, converted, err := to.insert(v)
	if err != nil {
		return false, err
	}
	if !inserted {
		same, err := j.w.Row(id)
		return len(same) > 0, err
	}
	sum, seq := to.index("sum"), v[0].(int64)
	if converted || sum >= 0 && v[sum] == nil && seq <= j.sealed {
		if err := j.markDamaged(id); err != nil {
			return false, err
		}
	}
	if !known {
		rows, err := j.w.Row(id)
		if err != nil {
			return false, err
		}
		if len(rows) > 0 && rows[0].Damaged {
			_, err := j.w.Exec("DELETE FROM messages WHERE message_id = ?", id)
			return false, err
		}
	}
	j.Rows++
	j.Head = max(j.Head, seq)
	return true, nil
}

// markDamaged gives a row a wrong checksum.
func (j *Journal) markDamaged(messageID string) error {
	rows, err := j.w.Row(messageID)
	if err != nil || len(rows) == 0 {
		return err
	}
	return j.w.Seal(messageID, rows[0].Content, true)
}
