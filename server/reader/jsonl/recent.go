package jsonl

import (
	"context"
	"os"
	"slices"
)

// maxRecent is the number of lines that a Recent keeps; with more it forgets the oldest.
const maxRecent = 2000

// Recent returns the last lines of a growing file in parsed form, and parses each line once. It keeps the parsed
// lines back to the line at which the last call of Back stopped.
type Recent[T any] struct {
	// Max is how many bytes at the end of a file are read the first time.
	Max int
	// Parse returns the parsed form of a line; ok is false if the line is not kept. Line.Text is valid until Parse
	// returns.
	Parse func(Line) (kept T, ok bool)

	place Place // after the newest line that was parsed
	lines []T
}

// Back calls each for the last complete lines of a file that Parse keeps, the last one first, until each returns
// false. Recent forgets the lines before that one, so later calls of Back must stop at the same line or at a later
// one.
func (r *Recent[T]) Back(path string, each func(T) bool) error {
	f, info, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	e, err := check(f, info.Size(), r.place)
	if err != nil {
		return err
	}
	if r.place.Off == 0 || e == nil || info.Size()-r.place.Off > int64(r.Max) {
		return r.begin(f, info, each)
	}
	s := newScan(f, info.Size(), r.place, *e, int64(r.Max))
	for {
		line, ok, err := s.next(context.Background())
		if err != nil {
			r.place, r.lines = Place{}, nil
			return err
		}
		if !ok {
			break
		}
		if line.Long || line.Len == 0 {
			continue
		}
		if kept, ok := r.Parse(line); ok {
			r.lines = append(r.lines, kept)
		}
	}
	r.place = s.marked()
	from := max(0, len(r.lines)-maxRecent)
	for i := len(r.lines) - 1; i >= from; i-- {
		if !each(r.lines[i]) {
			from = i
			break
		}
	}
	r.lines = slices.Clip(slices.Delete(r.lines, 0, from))
	return nil
}

// begin reads the end of a file for the first time, or again after the file was replaced.
func (r *Recent[T]) begin(f *os.File, info os.FileInfo, each func(T) bool) error {
	r.place, r.lines = Place{}, nil
	end, err := backwards(f, info.Size(), r.Max, func(l Line) bool {
		kept, ok := r.Parse(l)
		if !ok {
			return true
		}
		r.lines = append(r.lines, kept)
		return each(kept) && len(r.lines) < maxRecent
	})
	if err != nil {
		r.lines = nil
		return err
	}
	slices.Reverse(r.lines)
	e, err := endsAt(f, end)
	if err != nil { // the file became shorter meanwhile: the next call reads it from the start
		return nil
	}
	s := newScan(f, end, Place{Off: end}, *e, int64(r.Max))
	r.place = s.marked()
	return nil
}
