package jsonl

import (
	"bytes"
	"context"
	"errors"
	"hash/crc64"
	"io"
	"slices"
)

// scan reads the complete lines of a file up to a size.
type scan struct {
	f     io.ReaderAt
	size  int64
	limit int64
	place Place // the place after the last line
	ends  ends
	buf   []byte // bytes of the file after place.Off that were read ahead
	room  []byte // the memory of which buf is a part
}

func newScan(f io.ReaderAt, size int64, p Place, e ends, limit int64) *scan {
	p.Keys = slices.Clone(p.Keys) // Place.pass changes the slice
	// If the rest of the file is shorter than the window, the buffer has room for one byte more than the rest. So it
	// is never full, and next sees that a line without a line break is the incomplete last line.
	room := max(0, min(window, size-p.Off+1))
	return &scan{f: f, size: size, limit: limit, place: p, ends: e, room: make([]byte, room)}
}

// marked returns the present place with the checksums of the bytes before it.
func (s *scan) marked() Place {
	p := s.place
	p.Head, p.Tail = 0, 0
	if p.Off > 0 {
		p.Head, p.Tail = Sum(s.ends.head), Sum(s.ends.tail)
	}
	return p
}

// take moves the place forward by the first n bytes of buf.
func (s *scan) take(n int) {
	s.ends.add(s.buf[:n])
	s.place.Off += int64(n)
	s.buf = s.buf[n:]
}

// fill reads ahead until the window is full or the file ends.
func (s *scan) fill(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n := copy(s.room, s.buf)
	want := int(min(int64(len(s.room)-n), s.size-s.place.Off-int64(n)))
	s.buf = s.room[:n]
	if want <= 0 {
		return nil
	}
	got, err := s.f.ReadAt(s.room[n:n+want], s.place.Off+int64(n))
	s.buf = s.room[:n+got]
	if errors.Is(err, io.EOF) {
		s.size = s.place.Off + int64(n+got) // the file became shorter
		err = nil
	}
	return err
}

// next returns the next complete line, which can be empty. Its text is valid until the next call.
func (s *scan) next(ctx context.Context) (Line, bool, error) {
	if s.place.Skip > 0 {
		return s.skip(ctx)
	}
	end := bytes.IndexByte(s.buf, '\n')
	if end < 0 {
		if err := s.fill(ctx); err != nil {
			return Line{}, false, err
		}
		end = bytes.IndexByte(s.buf, '\n')
	}
	if end < 0 && len(s.buf) < len(s.room) {
		if int64(len(s.buf)) > s.limit {
			return s.skip(ctx)
		}
		return Line{}, false, nil
	}
	if end < 0 || int64(end) > s.limit {
		return s.wide(ctx)
	}
	// The text is a part of the buffer, which the next fill overwrites.
	text := trim(s.buf[:end])
	line := Line{Off: s.place.Off, Len: int64(len(text)), Text: text}
	s.take(end + 1)
	return line, true, nil
}

// wide returns a line that is longer than the buffer or the limit. It looks for the end of the line before it
// stores any bytes.
func (s *scan) wide(ctx context.Context) (Line, bool, error) {
	end, err := s.end(ctx, s.place.Off)
	if err != nil {
		return Line{}, false, err
	}
	n := end - s.place.Off
	if n > s.limit {
		return s.skip(ctx)
	}
	if end >= s.size {
		return Line{}, false, nil
	}
	text := make([]byte, n+1)
	if _, err := s.f.ReadAt(text, s.place.Off); err != nil && !errors.Is(err, io.EOF) {
		return Line{}, false, err
	}
	if text[n] != '\n' {
		return Line{}, false, errChanging
	}
	s.ends.add(text)
	line := Line{Off: s.place.Off, Text: trim(text[:n])}
	line.Len = int64(len(line.Text))
	s.place.Off += n + 1
	s.buf = nil
	return line, true, nil
}

// end returns the offset of the first line break at or after the offset at, or the size of the file if there is none.
func (s *scan) end(ctx context.Context, at int64) (int64, error) {
	b := make([]byte, window)
	for at < s.size {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := s.f.ReadAt(b[:min(int64(len(b)), s.size-at)], at)
		if i := bytes.IndexByte(b[:n], '\n'); i >= 0 {
			return at + int64(i), nil
		}
		at += int64(n)
		if errors.Is(err, io.EOF) {
			s.size = at
		} else if err != nil {
			return 0, err
		}
	}
	return s.size, nil
}

// skip reads past a line over the limit without storing it. If the line is not complete, the place is then inside
// the line.
func (s *scan) skip(ctx context.Context) (Line, bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Line{}, false, err
		}
		if len(s.buf) == 0 {
			if err := s.fill(ctx); err != nil || len(s.buf) == 0 {
				return Line{}, false, err
			}
		}
		end := bytes.IndexByte(s.buf, '\n')
		n := end
		if end < 0 {
			n = len(s.buf)
		}
		s.place.Sum = crc64.Update(s.place.Sum, table, s.buf[:n])
		s.place.Skip += int64(n)
		if end < 0 {
			s.take(n)
			continue
		}
		line := Line{Off: s.place.Off + int64(n) - s.place.Skip, Len: s.place.Skip, Long: true, Sum: s.place.Sum}
		s.take(n + 1)
		s.place.Skip, s.place.Sum = 0, 0
		line.Text = make([]byte, min(line.Len, LongHead))
		if _, err := s.f.ReadAt(line.Text, line.Off); err != nil && !errors.Is(err, io.EOF) {
			return Line{}, false, err
		}
		return line, true, nil
	}
}

// whole reports whether a complete line can follow the place. It looks only at bytes that were read ahead, and
// returns false only if they reach the end of the file without a line break.
func (s *scan) whole() bool {
	if len(s.buf) == 0 {
		return true
	}
	return bytes.IndexByte(s.buf, '\n') >= 0 || s.place.Off+int64(len(s.buf)) < s.size
}

// Head calls each for the first complete lines of a file, until each returns false or max bytes are read. Lines longer
// than max are left out. Line.Text is valid until each returns.
func Head(path string, max int, each func(Line) bool) error {
	f, info, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := newScan(f, min(info.Size(), int64(max)), Place{}, ends{}, int64(max))
	for {
		line, ok, err := s.next(context.Background())
		if err != nil || !ok {
			return err
		}
		if line.Len > 0 && !line.Long && !each(line) {
			return nil
		}
	}
}

// Tail calls each for the last complete lines of a file, the last one first, until each returns false or max bytes are
// read. A line that begins before these bytes is left out. Line.Text is valid until each returns.
func Tail(path string, max int, each func(Line) bool) error {
	f, info, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = backwards(f, info.Size(), max, each)
	return err
}

// lastBreak returns the index after the last line break in b, 0 if there is none.
func lastBreak(b []byte) int { return bytes.LastIndexByte(b, '\n') + 1 }

// backwards calls each for the complete lines in the last max bytes of a file, the last line first, until each returns
// false. end is the offset after the last complete line. A line that begins before these bytes is left out.
func backwards(f io.ReaderAt, size int64, max int, each func(Line) bool) (end int64, err error) {
	begin := size - min(size, int64(max))
	b := make([]byte, size-begin)
	n, err := f.ReadAt(b, begin)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	b = b[:lastBreak(b[:n])]
	end = begin + int64(len(b))
	for len(b) > 0 {
		at := lastBreak(b[:len(b)-1])
		if at == 0 && begin > 0 {
			break // the line may begin before the bytes that were read
		}
		if text := trim(b[at : len(b)-1]); len(text) > 0 {
			if !each(Line{Off: begin + int64(at), Len: int64(len(text)), Text: text}) {
				break
			}
		}
		b = b[:at]
	}
	return end, nil
}
