// Package jsonl reads files of JSON lines while another program writes them.
//
// It decides what is the same for every such file: which lines are complete, whether the file is still the one that
// was read, and where to continue if it was truncated, pruned, rewritten or moved. It does not know what a line
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

// Limits of the package.
const (
	headBytes = 1 << 10  // Place.Head is the checksum of this many bytes at the beginning of a file
	tailBytes = 4 << 10  // Place.Tail is the checksum of this many bytes before Place.Off
	keptKeys  = 64       // maximum number of keys in Place.Keys
	window    = 64 << 10 // bytes that one read of the file returns
	maxDef    = 1 << 20  // the value of Options.Max if that is 0

	// LongHead is how many bytes of a line over the limit Line.Text contains.
	LongHead = 4 << 10
)

var table = crc64.MakeTable(crc64.ECMA)

// Line is a complete line of a file.
type Line struct {
	Off  int64 // where it begins
	Len  int64 // length in bytes without the line break
	Text []byte
	// Long is set if the line is over the limit: Text has its first LongHead bytes, and Sum is the checksum of the whole
	// line.
	Long bool
	Sum  uint64
}

// Place is the position at which the reading of a file continues. The zero value is the beginning. As JSON it has less
// than 1,200 bytes and no text of the file, so that it can be a part of a shadow.Position. Later versions may add
// fields and never change one.
type Place struct {
	Off  int64  `json:"o"`           // number of bytes that were read
	Skip int64  `json:"k,omitempty"` // number of bytes before Off that belong to an incomplete line over the limit
	Sum  uint64 `json:"c,omitempty"` // checksum of the Skip bytes
	Head uint64 `json:"h,omitempty"` // checksum of the first bytes of the file, at most headBytes
	Tail uint64 `json:"t,omitempty"` // checksum of the bytes before Off, at most tailBytes
	// Keys has the checksums of the keys (Options.Key) of the last lines that were read, 8 bytes each, the newest
	// at the end.
	Keys []byte `json:"i,omitempty"`
	// At is the newest time of a line that was read, in nanoseconds since 1970.
	At int64 `json:"a,omitempty"`
	// Plain is the number of lines without a key that were read after the newest key.
	Plain int `json:"p,omitempty"`
	// Again is set after the file was replaced, until Read has passed all lines of the new file that it has already
	// read from the old one.
	Again again `json:"g,omitempty"`
	Left  int   `json:"l,omitempty"` // how many of the Plain lines are still to be skipped, if Again is againPlain
}

// again says which lines of a new file Read has already read from the file that the new one replaced.
type again int

const (
	againNo    again = iota
	againKeys        // lines whose key is in Place.Keys, and lines between them
	againTimes       // lines that are not newer than Place.At, and lines between them
	againPlain       // the next Place.Left lines without a key
)

// Change is the kind of change of a file since the last call of Read.
type Change int

// Changes.
const (
	Same      Change = iota // the file is unchanged, or has grown
	Truncated               // the file is shorter than the part that was read
	Rewritten               // the part that was read has changed
)

// Options of Read.
type Options struct {
	// Max is the number of bytes after which a call of Read ends. It returns at least one line, even a longer one.
	// 0 stands for 1 MiB.
	Max int
	// Limit is the maximum length of a line in bytes. Of a longer line, only the beginning is returned (LongHead).
	// 0 stands for shadow.MaxRecord.
	Limit int64
	// Key recognises a line. id is the line's id in the program: it is unique in the file, and the same if the
	// program writes the line again; "" for a line without an id. at is the line's time, or zero. Key is called for
	// every line within the limit and should be fast. If the lines of a program have a time and no id, a reader can
	// use their checksum (Sum) as id. If Key is nil, no line has an id or a time, and of a file that has replaced
	// another one, Read passes only the lines that are written after Read has found it.
	Key func(line []byte) (id string, at time.Time)
}

// Report describes the file as a call of Read has found it.
type Report struct {
	More    bool // another call of Read can return more lines now
	Change  Change
	Long    int // number of lines over the limit
	Size    int64
	Changed time.Time // when the file was last written
}

// ErrNotFile says that a path is no regular file.
var ErrNotFile = errors.New("not a regular file")

// Read calls each for the complete lines of a file after a place and returns the place after them. A last line
// without a line break is not complete: a later call returns it. Empty lines are left out. Line.Text is valid until
// each returns.
//
// If the file was replaced, Read looks for the place in the new file: after the newest of the last 64 keys that the
// file contains, else after the last line whose time is not newer than the newest time that was read. Read does not
// pass on lines that were read from the old file. If the newest key is gone, it does not pass on new lines without
// id and time either, until a line with an id or a time comes. After an error the place is unchanged, and the next
// call passes the same lines again.
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

// ends has the bytes from which the checksums Head and Tail of a place are computed.
type ends struct{ head, tail []byte }

// find returns the place at which to continue in a file that was replaced.
func find(ctx context.Context, f io.ReaderAt, size int64, from Place, o Options) (Place, *ends, error) {
	s := newScan(f, size, Place{}, ends{}, o.Limit)
	best, byKey, newest, byTime := -1, int64(0), int64(math.MinInt64), int64(0)
	fresh := false // a line that is newer than all lines read before was found: it must not be skipped
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
	case best < 0 && len(from.Keys) == 0 && from.Plain == 0: // no line was read before
		next = Place{}
	default: // old lines cannot be told from new ones
		next.Off, next.Skip, next.Sum, next.Again = s.place.Off, s.place.Skip, s.place.Sum, againNo
	}
	e, err := endsAt(f, next.Off)
	if errors.Is(err, io.EOF) {
		err = errChanging
	}
	return next, e, err
}

// errChanging is the error for a file that is replaced while Read reads it. The next call of Read examines the new
// file.
var errChanging = errors.New("the file changes while it is read")

// index returns the index of the key id among the kept keys, or -1.
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

// pass records a line as read and reports whether it is new. A line is not new if it was read from a file that this
// file has replaced.
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

// old reports whether a line of the new file was read from the file that it replaced.
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
