package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"agentdungeon/shared/world"
)

// Older events lie in blocks, each one row of journal_packs: a block holds the rows of
// journal from from_seq to to_seq, none missing, and those rows are gone from journal. What
// reads events (readFrames, eachEvent) reads both alike. A block is checked by its sum
// before it is unpacked and again after, so damage in it is found as in a row.

const (
	// packEvents is how many events make a block. More pack hardly better, and to read one
	// event all of its block is unpacked.
	packEvents = 500
	// maxBlock is how many a block that is read may have: blocks may become shorter or
	// longer with a version.
	maxBlock = 4 * packEvents
	// keepRows is how many of the newest events lie in rows: those that clients that come
	// back after a moment ask for, and whatever changes them.
	keepRows = 250
	// maxPackRaw bounds a block before it is packed: it ends at the row that passes it. A
	// row can be no longer than maxPackBytes less this, or it stays a row.
	maxPackRaw = 4 << 20
)

// eventRow is a row of journal.
type eventRow struct {
	seq, at   int64
	typ       string
	v         int64
	requestID string
	textAt    int64
	sum       int64
	messageID sql.NullString
	frame     []byte
}

func (e eventRow) equal(o eventRow) bool {
	return e.seq == o.seq && e.at == o.at && e.typ == o.typ && e.v == o.v && e.requestID == o.requestID && e.textAt == o.textAt &&
		e.sum == o.sum && e.messageID == o.messageID && bytes.Equal(e.frame, o.frame)
}

const eventColumns = "seq, at, type, v, request_id, text_at, sum, message_id, frame"

func scanEventRow(rows *sql.Rows) (e eventRow, err error) {
	err = rows.Scan(&e.seq, &e.at, &e.typ, &e.v, &e.requestID, &e.textAt, &e.sum, &e.messageID, &e.frame)
	return e, err
}

func (w *writer) insertEvent(e *eventRow) error {
	var id any
	if e.messageID.Valid {
		id = e.messageID.String
	}
	_, err := w.exec("INSERT INTO journal ("+eventColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		e.seq, e.at, e.typ, e.v, e.requestID, e.textAt, e.sum, id, e.frame)
	return err
}

// appendRow writes a row behind others; its seq follows theirs, before is the time of the
// last of them. Of the sum only the half
// of the text is kept: the other one is the frame's, which the block's sum guards too.
func appendRow(out []byte, e *eventRow, before int64) []byte {
	out = binary.AppendVarint(out, e.at-before)
	out = binary.AppendVarint(out, e.v)
	out = appendText(out, e.typ)
	out = appendText(out, e.requestID)
	out = binary.AppendUvarint(out, uint64(e.textAt))
	if e.textAt > 0 {
		out = binary.LittleEndian.AppendUint32(out, uint32(e.sum))
	}
	if e.messageID.Valid {
		out = append(out, 1)
		out = appendText(out, e.messageID.String)
	} else {
		out = append(out, 0)
	}
	return appendText(out, string(e.frame))
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

var errShort = errors.New("it ends too early")

// rowReader takes apart what appendRow has written. After an error it gives nothing.
type rowReader struct {
	left []byte
	at   int64 // of the row before
	err  error
}

func (r *rowReader) fail() { r.left, r.err = nil, errShort }

func (r *rowReader) varint() int64 {
	v, n := binary.Varint(r.left)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.left = r.left[n:]
	return v
}

func (r *rowReader) bytes(n uint64) []byte {
	if n > uint64(len(r.left)) {
		r.fail()
		return nil
	}
	out := r.left[:n:n]
	r.left = r.left[n:]
	return out
}

func (r *rowReader) length() uint64 {
	v, n := binary.Uvarint(r.left)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.left = r.left[n:]
	return v
}

func (r *rowReader) text() string { return string(r.bytes(r.length())) }

func (r *rowReader) row(seq int64) (e eventRow) {
	r.at += r.varint()
	e = eventRow{seq: seq, at: r.at, v: r.varint(), typ: r.text(), requestID: r.text()}
	textAt := r.length()
	if textAt > math.MaxInt32 {
		r.fail()
	}
	e.textAt = int64(textAt)
	var textSum uint32
	if e.textAt > 0 {
		if b := r.bytes(4); b != nil {
			textSum = binary.LittleEndian.Uint32(b)
		}
	}
	if b := r.bytes(1); b != nil && b[0] != 0 {
		e.messageID = sql.NullString{String: r.text(), Valid: true}
	}
	e.frame = r.bytes(r.length())
	if r.err == nil {
		e.sum = frameSum(e.frame, int(e.textAt), "")&^math.MaxUint32 | int64(textSum)
	}
	return e
}

// pack makes a block of rows that follow each other.
func packRows(rows []eventRow) (events []byte, sum int64) {
	var raw []byte
	before := int64(0)
	for i := range rows {
		raw = appendRow(raw, &rows[i], before)
		before = rows[i].at
	}
	events = packing.blocks.EncodeAll(raw, nil)
	return events, packSum(rows[0].seq, rows[len(rows)-1].seq, events, raw)
}

// packSum guards a block as it lies there and its place in the upper half, and what it
// unpacks to in the lower one.
func packSum(from, to int64, events, raw []byte) int64 {
	place := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(from)), uint64(to))
	return frameSum(append(place, events...), 0, "")&^math.MaxUint32 | int64(crc32.Checksum(raw, castagnoli))
}

// unpackRows takes a block apart. It is ErrCorrupt where it is not what was stored.
func unpackRows(from, to, sum int64, events []byte) ([]eventRow, error) {
	damage := func(err error) error {
		return fmt.Errorf("%w: the block of events %d to %d: %w", ErrCorrupt, from, to, err)
	}
	if to < from || to-from >= maxBlock || packSum(from, to, events, nil)>>32 != sum>>32 {
		return nil, damage(errNotStored)
	}
	raw, err := packing.block.DecodeAll(events, nil)
	if err != nil {
		return nil, damage(err)
	}
	if packSum(from, to, events, raw) != sum {
		return nil, damage(errNotStored)
	}
	r := &rowReader{left: raw}
	rows := make([]eventRow, 0, to-from+1)
	for seq := from; seq <= to; seq++ {
		rows = append(rows, r.row(seq))
	}
	if r.err == nil && len(r.left) > 0 {
		r.err = errNotStored
	}
	if r.err != nil {
		return nil, damage(r.err)
	}
	return rows, nil
}

var errNotStored = errors.New("it is not what was stored")

// span of a block or, where lost is set, of a gap (journal_gaps.go); from is 0 for none.
type packSpan struct {
	from, to int64
	lost     bool
}

// packOf is the block that holds an event, or the first one behind it where behind is set.
func packOf(ctx context.Context, q queryer, seq int64, behind bool) (packSpan, error) {
	spans, err := collect(ctx, q, scanSpan, "SELECT "+spanColumns+" FROM journal_packs WHERE from_seq <= ? ORDER BY from_seq DESC LIMIT 1", seq)
	if err != nil {
		return packSpan{}, err
	}
	if len(spans) > 0 && spans[0].to >= seq {
		return spans[0], nil
	}
	if !behind {
		return packSpan{}, nil
	}
	spans, err = collect(ctx, q, scanSpan, "SELECT "+spanColumns+" FROM journal_packs WHERE from_seq > ? ORDER BY from_seq LIMIT 1", seq)
	if err != nil || len(spans) == 0 {
		return packSpan{}, err
	}
	return spans[0], nil
}

const spanColumns = "from_seq, to_seq, length(events) = 0 AND sum = 0"

func scanSpan(rows *sql.Rows) (s packSpan, err error) {
	err = rows.Scan(&s.from, &s.to, &s.lost)
	return s, err
}

// readPack reads one block.
func readPack(ctx context.Context, q queryer, from int64) ([]eventRow, error) {
	var to, sum int64
	var events []byte
	if err := one(ctx, q, []any{&to, &sum, &events}, "SELECT to_seq, sum, events FROM journal_packs WHERE from_seq = ?", from); err != nil {
		return nil, err
	}
	if len(events) == 0 && sum == 0 {
		return nil, gapError(packSpan{from: from, to: to})
	}
	return unpackRows(from, to, sum, events)
}

// eachEvent gives the rows of the events after seq in order, whether they lie in rows or in
// blocks, until f says enough or the end, or the first that is missing. packs says that the
// journal can have blocks: older versions have no table for them. Events that cannot be read
// are told to lost, which may be nil: then the first of them is the error. What is given to f
// lies there as it was stored, but for the half of the sum that is its text's.
func eachEvent(ctx context.Context, q queryer, after int64, packs bool, lost func(packSpan, error), f func(*eventRow) (more bool, err error)) error {
	next := after + 1
	give := func(e *eventRow) (bool, error) {
		next = e.seq + 1
		if lost != nil && !e.stored() {
			lost(packSpan{from: e.seq, to: e.seq}, errNotStored)
			return true, nil
		}
		return f(e)
	}
	for {
		began := next
		var pack packSpan
		if packs {
			var err error
			if pack, err = packOf(ctx, q, next, false); err != nil {
				return err
			}
		}
		if pack.from > 0 {
			rows, err := readPack(ctx, q, pack.from)
			if err != nil && lost != nil && errors.Is(err, ErrCorrupt) {
				lost(packSpan{from: max(pack.from, next), to: pack.to}, err)
				next = pack.to + 1
				continue
			}
			if err != nil {
				return err
			}
			for i := range rows {
				if rows[i].seq < next {
					continue
				}
				if more, err := give(&rows[i]); err != nil || !more {
					return err
				}
			}
			continue
		}
		more, err := eachRow(ctx, q, next, give)
		if err != nil || !more || next == began || !packs {
			return err
		}
	}
}

// eachRow gives rows of journal from a seq on until one is missing. more says that f wants
// more of them.
func eachRow(ctx context.Context, q queryer, next int64, f func(*eventRow) (bool, error)) (more bool, err error) {
	rows, err := q.QueryContext(ctx, "SELECT "+eventColumns+" FROM journal WHERE seq >= ? ORDER BY seq", next)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		e, err := scanEventRow(rows)
		if err != nil {
			return false, damaged(err)
		}
		if e.seq != next {
			return true, nil
		}
		next++
		if more, err := f(&e); err != nil || !more {
			return false, err
		}
	}
	return true, rows.Err()
}

// unpack turns the blocks that hold any of the events from..to back into rows of journal,
// inside a transaction: whoever changes an event does it there, in the same transaction,
// and their sums with them (frameSum). They are packed again by and by. More than maxUnpack
// events are errRefused: such a range goes in several transactions.
func (w *writer) unpack(from, to int64) error {
	if to-from >= maxUnpack {
		return fmt.Errorf("%w: events %d to %d are too many to be unpacked at once", errRefused, from, to)
	}
	w.unpackedSince(from)
	for seq := from; seq <= to; {
		p, err := packOf(context.Background(), w.conn, seq, true)
		if err != nil || p.from == 0 || p.from > to {
			return err
		}
		if p.lost {
			seq = p.to + 1
			continue
		}
		rows, err := readPack(context.Background(), w.conn, p.from)
		if err != nil {
			return err
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
	return nil
}

// unpackedSince notes for tidying that events from a seq on may lie in rows again.
func (w *writer) unpackedSince(from int64) {
	w.unpacked++
	if w.unpackedFrom == 0 || from < w.unpackedFrom {
		w.unpackedFrom = max(from-maxBlock, 1) // where its block begins at the earliest
	}
}

// maxUnpack bounds what one transaction unpacks.
const maxUnpack = 10 * packEvents

// stored says that the event is the one that was stored, whatever became of its text.
func (e *eventRow) stored() bool {
	return e.textAt >= 0 && frameSum(e.frame, int(e.textAt), "")>>32 == e.sum>>32
}

// frameOf is a row's frame as it was shown, with its text.
func (e *eventRow) frameOf(text string) (world.Frame, error) {
	if e.textAt < 0 {
		return world.Frame{}, fmt.Errorf("%w: event %d has its text at %d", ErrCorrupt, e.seq, e.textAt)
	}
	if frameSum(e.frame, int(e.textAt), text) != e.sum {
		return world.Frame{}, fmt.Errorf("%w: event %d is not what was stored", ErrCorrupt, e.seq)
	}
	raw, err := world.WithText(e.frame, int(e.textAt), text)
	if err != nil {
		return world.Frame{}, fmt.Errorf("%w: event %d: %w", ErrCorrupt, e.seq, err)
	}
	return world.Frame{Seq: e.seq, Bytes: raw}, nil
}
