package inspect

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Index has the offset of each line of a text, so that every line is found at the same cost. It keeps a reference to
// the text and uses eight bytes for each line.
type Index struct {
	text   []byte
	starts []int
}

// NewIndex indexes a text in one pass.
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

// bounds returns the offsets of line n without its line end, or 0, 0 if there is no such line.
func (x *Index) bounds(n int) (from, to int) {
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

// Quote returns line n as evidence, in the same form as the function Line.
func (x *Index) Quote(n int) string {
	from, to := x.bounds(n)
	return evidence(x.text[from:to])
}

// maxLineRead is the number of bytes at the beginning of a line in which evidence looks for text after the indentation.
const maxLineRead = 2000

func evidence(line []byte) string {
	return Clip(strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), maxLineRead)]), "")), 200)
}

// Lines yields the lines of a text with their numbers, from 1, without line ends.
func Lines(data []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range bytes.Lines(data) {
			n++
			if !yield(n, strings.TrimRight(string(line), "\r\n")) {
				return
			}
		}
	}
}

// Line returns line n of a text as evidence, trimmed and cut to at most 200 bytes. It scans the text up to that line,
// so an Index is faster for many lines of one text.
func Line(data []byte, n int) string {
	for ; n > 1; n-- {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return ""
		}
		data = data[i+1:]
	}
	if n < 1 {
		return ""
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return evidence(data)
}

// Clip cuts a text to at most limit bytes, between two characters.
func Clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = s[:limit-len("…")]
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s + "…"
}
