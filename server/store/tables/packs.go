package tables

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"

	"agentdungeon/server/store/disk"
	"agentdungeon/server/store/sqlite"
)

// Older events are stored in blocks. Each block is one row of journal_packs and holds all rows of journal
// from from_seq to to_seq, which are deleted from journal. Functions that read events (ReadFrames,
// EachEvent) read rows and blocks alike. A block's checksum is verified before and after it is
// unpacked, so damage is detected as in a row.

const (
	// PackEvents is the number of events in a block. Longer blocks would hardly save more space, and would take
	// longer to read: to read one event, the whole block is unpacked.
	PackEvents = 500
	// MaxBlock limits the number of events in a block that is read. It exceeds PackEvents because
	// another version may write shorter or longer blocks.
	MaxBlock = 4 * PackEvents
	// KeepRows is the number of the newest events that stay rows, because clients that reconnect soon read them,
	// and an erasure changes them most often.
	KeepRows = 250
	// MaxPackRaw limits the frames of a block, in bytes unpacked: the first frame that exceeds the limit is the last
	// one of the block. A row with a frame longer than MaxPackBytes less twice MaxPackRaw is not packed.
	MaxPackRaw = 4 << 20
)

// AppendRow appends the encoding of a row to out. The row must follow the previous row of the block; before is the
// time of that previous row. AppendRow stores only the lower half of the row's checksum, which covers the text. The
// frame, which the upper half covers, is covered by the block's checksum.
func AppendRow(out []byte, e *EventRow, before int64) []byte {
	out = binary.AppendVarint(out, e.At-before)
	out = binary.AppendVarint(out, e.V)
	out = appendText(out, e.Type)
	out = appendText(out, e.RequestID)
	out = binary.AppendUvarint(out, uint64(e.TextAt))
	if e.TextAt > 0 {
		out = binary.LittleEndian.AppendUint32(out, uint32(e.Sum))
	}
	if e.MessageID.Valid {
		out = append(out, 1)
		out = appendText(out, e.MessageID.String)
	} else {
		out = append(out, 0)
	}
	return appendText(out, string(e.Frame))
}

var (
	// ErrNotStored means that a row or block has changed since it was stored.
	ErrNotStored = errors.New("its checksum is wrong")
	// ErrGap means that an event is lost for good (gaps.go). It wraps ErrCorrupt.
	ErrGap = fmt.Errorf("%w: the journal has a gap", disk.ErrCorrupt)
)

var errShort = errors.New("its bytes end too early")

// rowReader decodes what AppendRow has encoded. After an error it returns zero values.
type rowReader struct {
	left []byte
	at   int64 // time of the previous row
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

func (r *rowReader) row(seq int64) (e EventRow) {
	r.at += r.varint()
	e = EventRow{Seq: seq, At: r.at, V: r.varint(), Type: r.text(), RequestID: r.text()}
	textAt := r.length()
	if textAt > math.MaxInt32 {
		r.fail()
	}
	e.TextAt = int64(textAt)
	var sum uint32 // the half of the checksum that covers the text
	if e.TextAt > 0 {
		if b := r.bytes(4); b != nil {
			sum = binary.LittleEndian.Uint32(b)
		}
	}
	if b := r.bytes(1); b != nil && b[0] != 0 {
		e.MessageID = sql.NullString{String: r.text(), Valid: true}
	}
	e.Frame = r.bytes(r.length())
	if r.err == nil {
		e.Sum = halves(uint32(FrameSum(e.Frame, int(e.TextAt), "")>>32), sum)
	}
	return e
}

// Pack encodes consecutive rows as a block.
func Pack(rows []EventRow) (events []byte, sum int64) {
	var raw []byte
	before := int64(0)
	for i := range rows {
		raw = AppendRow(raw, &rows[i], before)
		before = rows[i].At
	}
	events = Packing.Blocks.EncodeAll(raw, nil)
	return events, PackSum(rows[0].Seq, rows[len(rows)-1].Seq, events, raw)
}

// PutBlock replaces rows by the block that Pack has made of them.
func (w *Writer) PutBlock(rows []EventRow, events []byte, sum int64) error {
	from, to := rows[0].Seq, rows[len(rows)-1].Seq
	if _, err := w.Exec("INSERT INTO journal_packs (from_seq, to_seq, sum, events) VALUES (?, ?, ?, ?)",
		from, to, sum, events); err != nil {
		return err
	}
	return w.Affects(int64(len(rows)), "DELETE FROM journal WHERE seq BETWEEN ? AND ?", from, to)
}

// PackSum returns the checksum of a block. The upper half covers the first and the last seq (from and to) and the
// packed bytes (events), the lower half the unpacked bytes (raw).
func PackSum(from, to int64, events, raw []byte) int64 {
	place := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(from)), uint64(to))
	return halves(uint32(FrameSum(append(place, events...), 0, "")>>32), crc32.Checksum(raw, castagnoli))
}

// Unpack decodes a block. It returns ErrCorrupt if the checksum is wrong.
func Unpack(from, to, sum int64, events []byte) ([]EventRow, error) {
	damage := func(err error) error {
		return fmt.Errorf("%w: the block of events %d to %d: %w", disk.ErrCorrupt, from, to, err)
	}
	if to < from || to-from >= MaxBlock || PackSum(from, to, events, nil)>>32 != sum>>32 {
		return nil, damage(ErrNotStored)
	}
	raw, err := Packing.block.DecodeAll(events, nil)
	if err != nil {
		return nil, damage(err)
	}
	if PackSum(from, to, events, raw) != sum {
		return nil, damage(ErrNotStored)
	}
	r := &rowReader{left: raw}
	rows := make([]EventRow, 0, to-from+1)
	for seq := from; seq <= to; seq++ {
		rows = append(rows, r.row(seq))
	}
	if r.err == nil && len(r.left) > 0 {
		r.err = ErrNotStored
	}
	if r.err != nil {
		return nil, damage(r.err)
	}
	return rows, nil
}

// Span is the range of events of a block or, if Lost is set, of a gap (gaps.go). If there is no block or gap, From
// is 0.
type Span struct {
	From, To int64
	Lost     bool
}

// SpanOf returns the block or gap that holds an event. If there is none and orNext is set, it returns the next
// one.
func SpanOf(ctx context.Context, q sqlite.Queryer, seq int64, orNext bool) (Span, error) {
	spans, err := sqlite.Collect(ctx, q, ScanSpan,
		"SELECT "+SpanColumns+" FROM journal_packs WHERE from_seq <= ? ORDER BY from_seq DESC LIMIT 1", seq)
	if err != nil {
		return Span{}, err
	}
	if len(spans) > 0 && spans[0].To >= seq {
		return spans[0], nil
	}
	if !orNext {
		return Span{}, nil
	}
	spans, err = sqlite.Collect(ctx, q, ScanSpan,
		"SELECT "+SpanColumns+" FROM journal_packs WHERE from_seq > ? ORDER BY from_seq LIMIT 1", seq)
	if err != nil || len(spans) == 0 {
		return Span{}, err
	}
	return spans[0], nil
}

// SpanColumns are the columns of journal_packs that ScanSpan reads.
const SpanColumns = "from_seq, to_seq, length(events) = 0 AND sum = 0"

// ScanSpan scans SpanColumns.
func ScanSpan(rows *sql.Rows) (s Span, err error) {
	err = rows.Scan(&s.From, &s.To, &s.Lost)
	return s, err
}

// ReadPack reads the block that begins with event from. It returns ErrGap (wrapped) for a gap.
func ReadPack(ctx context.Context, q sqlite.Queryer, from int64) ([]EventRow, error) {
	var to, sum int64
	var events []byte
	if err := sqlite.One(ctx, q, []any{&to, &sum, &events},
		"SELECT to_seq, sum, events FROM journal_packs WHERE from_seq = ?", from); err != nil {
		return nil, err
	}
	if len(events) == 0 && sum == 0 {
		return nil, fmt.Errorf("%w: events %d to %d are lost", ErrGap, from, to)
	}
	return Unpack(from, to, sum, events)
}

// EachEvent calls f with the events whose seq is higher than after, in order, from rows and blocks. It stops when f
// returns false, when an event is missing, or after the last event. packs is set if the journal has the table of
// blocks, which older versions lack. If lost is not nil, EachEvent calls lost instead of f for events that cannot
// be read; it verifies the half of each event's checksum that covers the frame. If lost is nil, EachEvent returns
// the error of the first block that cannot be read, and f must verify each event (Event does).
func EachEvent(ctx context.Context, q sqlite.Queryer, after int64, packs bool, lost func(Span, error),
	f func(*EventRow) (more bool, err error)) error {
	next := after + 1
	visit := func(e *EventRow) (bool, error) {
		next = e.Seq + 1
		if lost != nil && !e.Stored() {
			lost(Span{From: e.Seq, To: e.Seq}, ErrNotStored)
			return true, nil
		}
		return f(e)
	}
	for {
		began := next
		var pack Span
		if packs {
			var err error
			if pack, err = SpanOf(ctx, q, next, false); err != nil {
				return err
			}
		}
		if pack.From > 0 {
			rows, err := ReadPack(ctx, q, pack.From)
			if err != nil && lost != nil && errors.Is(err, disk.ErrCorrupt) {
				lost(Span{From: max(pack.From, next), To: pack.To}, err)
				next = pack.To + 1
				continue
			}
			if err != nil {
				return err
			}
			for i := range rows {
				if rows[i].Seq < next {
					continue
				}
				if more, err := visit(&rows[i]); err != nil || !more {
					return err
				}
			}
			continue
		}
		more, err := eachRow(ctx, q, next, visit)
		if err != nil || !more || next == began || !packs {
			return err
		}
	}
}

// SkipLost is a lost function for EachEvent: it ignores events that cannot be read.
func SkipLost(Span, error) {}

// eachRow calls f with the rows of the table journal in order, beginning with event next, until a row is missing or f
// returns false. more reports whether the caller may go on with later events: it is false if f returned false, or after
// an error.
func eachRow(ctx context.Context, q sqlite.Queryer, next int64, f func(*EventRow) (bool, error)) (more bool,
	err error) {
	more = true
	err = scanEvents(ctx, q, next, math.MaxInt64, func(e *EventRow) (bool, error) {
		if e.Seq != next {
			return false, nil
		}
		next++
		more, err = f(e)
		return more, err
	})
	return more && err == nil, err
}

// Unpack turns the blocks that hold any of the events from..to back into rows of journal, so that the caller can
// change them and their sums (FrameSum) in the same transaction. Tidying packs the rows again later. For more
// than MaxUnpack events Unpack returns ErrRefused (wrapped), and the caller splits the range into several
// transactions.
func (w *Writer) Unpack(from, to int64) error {
	if to-from >= MaxUnpack {
		return fmt.Errorf("%w: events %d to %d are too many to be unpacked at once", sqlite.ErrRefused, from, to)
	}
	w.unpackedSince(from)
	for seq := from; seq <= to; {
		p, err := SpanOf(context.Background(), w, seq, true)
		if err != nil || p.From == 0 || p.From > to {
			return err
		}
		if p.Lost {
			seq = p.To + 1
			continue
		}
		rows, err := ReadPack(context.Background(), w, p.From)
		if err == nil {
			err = w.spread(p.From, rows)
		}
		if err != nil {
			return err
		}
		seq = p.To + 1
	}
	return nil
}

// spread replaces the block that begins with event from by rows, its unpacked events.
func (w *Writer) spread(from int64, rows []EventRow) error {
	if _, err := w.Exec("DELETE FROM journal_packs WHERE from_seq = ?", from); err != nil {
		return err
	}
	for i := range rows {
		if err := w.insertEvent(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// unpackedSince records that events from a seq on were unpacked, so that tidying packs them again.
func (w *Writer) unpackedSince(from int64) {
	w.Unpacked++
	first := max(from-MaxBlock, 1) // the block that holds from begins at most MaxBlock events earlier
	if w.UnpackedFrom == 0 || first < w.UnpackedFrom {
		w.UnpackedFrom = first
	}
}

// MaxUnpack limits the number of events that one transaction unpacks.
const MaxUnpack = 10 * PackEvents

// EachRowFrom calls f with the rows of journal from..to in order until f returns false.
func EachRowFrom(q sqlite.Queryer, from, to int64, f func(*EventRow) bool) error {
	return scanEvents(context.Background(), q, from, to, func(e *EventRow) (bool, error) { return f(e), nil })
}

// scanEvents calls f with the rows of journal from..to in order until f returns false.
func scanEvents(ctx context.Context, q sqlite.Queryer, from, to int64,
	f func(*EventRow) (more bool, err error)) (err error) {
	rows, err := q.QueryContext(ctx,
		"SELECT "+EventColumns+" FROM journal WHERE seq BETWEEN ? AND ? ORDER BY seq", from, to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var e EventRow
		if err := rows.Scan(&e.Seq, &e.At, &e.Type, &e.V, &e.RequestID, &e.TextAt, &e.Sum, &e.MessageID,
			&e.Frame); err != nil {
			return sqlite.Damaged(err)
		}
		if more, err := f(&e); err != nil || !more {
			return err
		}
	}
	return rows.Err()
}
