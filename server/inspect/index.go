package inspect

import (
	"bytes"
	"sort"
	"strings"
)

// Index knows where the lines of a text begin, so that a line costs the same wherever
// it stands and however many are asked for. It keeps the text, which is not to be
// changed, and eight bytes a line.
type Index struct {
	text   []byte
	starts []int
}

// NewIndex looks through a text once.
func NewIndex(text []byte) *Index {
	x := &Index{text: text, starts: append(make([]int, 0, 1+bytes.Count(text, []byte("\n"))), 0)}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return x
		}
		at += i + 1
		x.starts = append(x.starts, at)
	}
}

// Lines says how many lines there are; an empty one after the last line end counts.
func (x *Index) Lines() int { return len(x.starts) }

// Line gives the number of the line that holds an offset, from 1.
func (x *Index) Line(off int) int {
	return max(1, sort.Search(len(x.starts), func(i int) bool { return x.starts[i] > off }))
}

// Bounds gives the offsets of line n without its line end, twice 0 where there is none.
func (x *Index) Bounds(n int) (from, to int) {
	if n < 1 || n > len(x.starts) {
		return 0, 0
	}
	from, to = x.starts[n-1], len(x.text)
	if n < len(x.starts) {
		to = x.starts[n] - 1
	}
	for to > from && x.text[to-1] == '\r' {
		to--
	}
	return from, to
}

// Quote gives line n as evidence, like Line of the package.
func (x *Index) Quote(n int) string {
	from, to := x.Bounds(n)
	return evidence(x.text[from:to])
}

// maxLineRead is how much of a line is looked at for what stands behind its indent.
const maxLineRead = 2000

func evidence(line []byte) string {
	return Clip(strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), maxLineRead)]), "")), 200)
}
