package change

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// maxLines is the maximum number of lines between the first and the last difference that are compared line by line,
// which takes about a second in the worst case. In a longer range, all lines count as changed.
const maxLines = 10_000

// span is a range of lines, both ends included. Lines count from 1.
type span struct{ first, last int }

func (s span) has(line int) bool { return s.first <= line && line <= s.last }

// changedLines returns the lines of a text that its older text does not have, in order.
func changedLines(old, now []byte) (out []span) {
	a, b := bytes.SplitAfter(old, []byte("\n")), bytes.SplitAfter(now, []byte("\n"))
	head := 0
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		head++
	}
	a, b = a[head:], b[head:]
	for len(a) > 0 && len(b) > 0 && bytes.Equal(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	switch {
	case len(b) == 0:
		return nil
	case len(a) == 0, len(a) > maxLines, len(b) > maxLines:
		return []span{{head + 1, head + len(b)}}
	}
	numbers := map[string]rune{} // at most 2*maxLines, which is below the first surrogate
	number := func(lines [][]byte) []rune {
		text := make([]rune, len(lines))
		for i, l := range lines {
			n, known := numbers[string(l)]
			if !known {
				n = rune(len(numbers) + 1)
				numbers[string(l)] = n
			}
			text[i] = n
		}
		return text
	}
	differ := diffmatchpatch.New()
	differ.DiffTimeout = 0 // no time limit, so that the result is the same on every machine
	at := head
	for _, d := range differ.DiffMainRunes(number(a), number(b), false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffInsert:
			out = append(out, span{at + 1, at + n})
			at += n
		case diffmatchpatch.DiffEqual:
			at += n
		}
	}
	return out
}

// has reports whether a text has a word.
func has(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(word)
		if (from == 0 || !wordByte(text[from-1])) && (to == len(text) || !wordByte(text[to])) {
			return true
		}
		at = to
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
