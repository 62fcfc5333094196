// Package jsonl reads files of JSON lines that another program writes and this one only watches.
//
// It owns the questions that are the same for every such file: which lines are whole, whether the file is still the
// one that was read, and where to go on if it was truncated, pruned, rewritten or moved. It does not know what a line
// means: the reader of a program says how a line is recognised (Options.Key). It never writes, locks or creates
// anything, starts no goroutine and keeps no file open. The readers beside this package call it.
package jsonl

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc64"
	"io"
	"math"
	"time"

	"agentdungeon/server/shadow"
)

// Bounds of the package.
const (
	headBytes = 1 << 10  // of the beginning of a file, in the checksum Place.Head
	tailBytes = 4 << 10  // before Place.Off, in the checksum Place.Tail
	keptKeys  = 64       // keys in Place.Keys
	window    = 64 << 10 // bytes that are read at once
	maxDef    = 1 << 20  // Options.Max, if it is 0

	// LongHead is how much of a line over the limit Line.Text has.
	LongHead = 4 << 10
)

var table = crc64.MakeTable(crc64.ECMA)

// Line is a whole line.
type Line struct {
	Off  int64 // where it begins
	Len  int64 // bytes without the line break
	Text []byte
	// Long is set if the line is over the limit: Text has its first LongHead bytes, and Sum the checksum of all of it.
	Long bool
	Sum  uint64
}

// Place is where the reading of a file goes on. The zero value is the beginning. As JSON it has less than 1,200 bytes
// and no text of the file, so that it can be a part of a shadow.Position; fields may be added, never changed.
type Place struct {
	Off  int64  `json:"o"`           // so many bytes were read
	Skip int64  `json:"k,omitempty"` // so many bytes before Off belong to a line over the limit that has not ended
	Sum  uint64 `json:"c,omitempty"` // the checksum of these
	Head uint64 `json:"h,omitempty"` // checksum of the first bytes of the file, at most headBytes
	Tail uint64 `json:"t,omitempty"` // checksum of the bytes before Off, at most tailBytes
	// Keys has the checksums of the last keys that were read, 8 bytes each, the newest at the end.
	Keys []byte `json:"i,omitempty"`
	// At is the newest time that was read, in nanoseconds since 1970.
	At int64 `json:"a,omitempty"`
	// Plain is the number of lines that were read after the newest key and have none.
	Plain int `json:"p,omitempty"`
	// Again is set after the file was replaced, while lines can come that were read from the file before.
	Again again `json:"g,omitempty"`
	Left  int   `json:"l,omitempty"` // of Plain, while Again is againPlain
}

// again says which lines of a replaced file were read before.
type again int

const (
	againNo    again = iota
	againKeys        // those whose key is in Place.Keys, and what is between them
	againTimes       // those that are not newer than Place.At, and what is between them
	againPlain       // the next Place.Left lines without a key
)

// Change is what happened to a file since it was read.
type Change int

// Changes.
const (
	Same      Change = iota // nothing, or it has grown
	Truncated               // it is shorter than what was read
	Rewritten               // what was read is not in its place any more
)

// Options of Read.
type Options struct {
	// Max ends a reading after so many bytes, but not before a line; 0 is 1 MiB.
	Max int
	// Limit is the length of a line in bytes over which it is skipped; 0 is shadow.MaxRecord.
	Limit int64
	// Key recognises a line: id is its id in the program, unique in the file and the same if the program writes the line
	// again, or "" if it has none; at is its time, or zero. It is called for every line and should be cheap. A reader
	// whose lines have no id can use their Sum, if they hold a time. Without Key no line has one: after a file was
	// replaced everything in it counts as read.
	Key func(line []byte) (id string, at time.Time)
}

// Report says what a reading has met.
type Report struct {
	More    bool // another reading would read more now
	Change  Change
	Long    int // lines over the limit
	Size    int64
	Changed time.Time // when the file was last written
}

// ErrNotFile says that a path is no regular file.
var ErrNotFile = errors.New("not a regular file")

// Read calls each for the whole lines of a file after a place and returns the place after them. A last line without
// line break waits. Empty lines are left out. Line.Text is valid until each returns.
//
// If the file was replaced, Read finds its place again: after the newest of the last 64 keys that is in the file,
// else after the lines that are not newer than the newest one that was read. Lines that were read from the file
// before are not passed on; nor are new ones without id and time, if the newest key is gone, until a line with one
// comes. An error leaves the place as it was: lines that each was called for come again.
func Read(ctx context.Context, path string, from Place, o Options, each func(Line)) (Place, Report, error) {
	f, info, err := Open(path)
	if err != nil {
		return from, Report{}, err
	}
	defer f.Close()
	o = o.full()
	report := Report{Size: info.Size(), Changed: info.ModTime()}
	place := from
	ends, err := check(f, info.Size(), from)
	if err == nil && ends == nil {
		report.Change = Rewritten
		if info.Size() < from.Off {
			report.Change = Truncated
		}
		place, ends, err = find(ctx, f, info.Size(), from, o)
	}
	if err != nil {
		return from, report, err
	}
	s := newScan(f, info.Size(), place, *ends, o.Limit)
	for begin := place.Off; s.place.Off-begin < int64(o.Max); {
		if err := ctx.Err(); err != nil {
			return from, report, err
		}
		line, ok, err := s.next(ctx)
		if err != nil {
			return from, report, err
		}
		if !ok {
			return s.marked(), report, nil
		}
		if line.Len == 0 {
			continue
		}
		if line.Long {
			report.Long++
		}
		if s.place.pass(line, o.Key) {
			each(line)
		}
	}
	report.More = s.place.Off < info.Size() && s.whole()
	return s.marked(), report, nil
}

func (o Options) full() Options {
	if o.Max <= 0 {
		o.Max = maxDef
	}
	if o.Limit <= 0 {
		o.Limit = shadow.MaxRecord
	}
	if o.Key == nil {
		o.Key = func([]byte) (string, time.Time) { return "", time.Time{} }
	}
	return o
}

// ends has the bytes that the checksums of a place are made of.
type ends struct{ head, tail []byte }

// find returns where to go on in a file that was replaced.
func find(ctx context.Context, f io.ReaderAt, size int64, from Place, o Options) (Place, *ends, error) {
	s := newScan(f, size, Place{}, ends{}, o.Limit)
	best, byKey, newest, byTime := -1, int64(0), int64(math.MinInt64), int64(0)
	fresh := false // a line that is newer than all that was read has come: it is not to be skipped
	for {
		line, ok, err := s.next(ctx)
		if err != nil {
			return from, nil, err
		}
		if !ok {
			break
		}
		if line.Long || line.Len == 0 {
			continue
		}
		id, at := o.Key(line.Text)
		if i := from.index(id); i >= 0 && i >= best {
			best, byKey = i, s.place.Off
		}
		if n := at.UnixNano(); !at.IsZero() && n > from.At {
			fresh = true
		} else if !at.IsZero() && n >= newest && !fresh {
			newest, byTime = n, s.place.Off
		}
	}
	next := from
	next.Skip, next.Sum, next.Left = 0, 0, 0
	switch {
	case best >= 0 && best == len(from.Keys)/8-1:
		next.Off, next.Again, next.Left = byKey, againPlain, from.Plain
	case best >= 0:
		next.Off, next.Again = byKey, againKeys
	case from.At > 0:
		next.Off, next.Again = byTime, againTimes
	case best < 0 && len(from.Keys) == 0 && from.Plain == 0: // no line was read
		next = Place{}
	default: // nothing tells old lines from new ones
		next.Off, next.Skip, next.Sum, next.Again = s.place.Off, s.place.Skip, s.place.Sum, againNo
	}
	e, err := endsAt(f, next.Off)
	if errors.Is(err, io.EOF) {
		err = errChanging
	}
	return next, e, err
}

// errChanging says that a file was replaced while it was read. The next reading looks again.
var errChanging = errors.New("the file changes while it is read")

// index returns which of the kept keys id is, or -1.
func (p *Place) index(id string) int {
	if id == "" {
		return -1
	}
	sum := Sum([]byte(id))
	for i := len(p.Keys)/8 - 1; i >= 0; i-- {
		if binary.BigEndian.Uint64(p.Keys[8*i:]) == sum {
			return i
		}
	}
	return -1
}

// pass notes that a line was read, and reports whether it was not read before.
func (p *Place) pass(line Line, key func([]byte) (string, time.Time)) bool {
	var id string
	var at time.Time
	if !line.Long {
		id, at = key(line.Text)
	}
	if p.Again != againNo && p.old(id, at) {
		return false
	}
	if !at.IsZero() {
		p.At = max(p.At, at.UnixNano())
	}
	if id == "" {
		p.Plain++
		return true
	}
	p.Plain = 0
	if n := len(p.Keys) - 8*(keptKeys-1); n > 0 {
		p.Keys = p.Keys[:copy(p.Keys, p.Keys[n:])]
	}
	p.Keys = binary.BigEndian.AppendUint64(p.Keys, Sum([]byte(id)))
	return true
}

// old reports whether a line of a file that was replaced was read from the file before.
func (p *Place) old(id string, at time.Time) bool {
	if i := p.index(id); i >= 0 {
		if i == len(p.Keys)/8-1 {
			p.Again, p.Left = againPlain, p.Plain
		}
		return true
	}
	switch p.Again {
	case againPlain:
		if id == "" && p.Left > 0 {
			p.Left--
			return true
		}
	case againKeys:
		if id == "" {
			return true
		}
	case againTimes:
		if at.IsZero() || at.UnixNano() <= p.At {
			return true
		}
	}
	p.Again, p.Left = againNo, 0
	return false
}
