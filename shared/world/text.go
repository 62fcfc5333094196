package world

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"agentdungeon/shared/pattern"
)

// Cut shortens s to at most limit bytes without splitting a character. It reports whether it
// removed anything.
func Cut(s string, limit int) (out string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit]), true
}

// Clip returns s, or, if s is longer than limit bytes, the result of Cut and "...".
func Clip(s string, limit int) string {
	s, cut := Cut(s, limit)
	if cut {
		s += "..."
	}
	return s
}

// Visible makes a text safe for a terminal. It escapes characters that control the terminal, hide
// text or change its direction as in a Go string: \u001b, \u202e, and \x9b for a byte that is not
// UTF-8. It keeps \n and tabs and replaces \r\n by \n.
func Visible(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if strings.IndexFunc(s, isUnsafe) < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case !isUnsafe(r):
			b.WriteString(s[:size])
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// isUnsafe reports whether Visible escapes a character.
func isUnsafe(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' ||
		unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\u200b' ||
		r >= 0xe0000 && r <= 0xe007f // Unicode's tag characters, which terminals do not show
}

// NotNil returns s, or an empty list instead of nil, which JSON would show as null.
func NotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// find returns the first entry for which match is true, or nil. match gets a pointer, because the
// opening of a realm calls match millions of times.
func find[T any](s []T, match func(*T) bool) *T {
	for i := range s {
		if match(&s[i]) {
			return &s[i]
		}
	}
	return nil
}

func notNilMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// Told is what texts say, to find out whether another text repeats it.
type Told struct {
	lines map[string]bool
	all   string
}

// minTold is the number of words from which on a line is repeated wherever its words stand, one after another. Fewer
// words must be a line.
const minTold = 4

// Tell returns what texts say. Case, punctuation, and the marks of lists, quotations and headings say nothing.
func Tell(texts ...string) Told {
	t := Told{lines: map[string]bool{}}
	var all strings.Builder
	for _, text := range texts {
		for line := range strings.Lines(text) {
			words := wordsOf(line)
			t.lines[words] = true
			all.WriteString(" " + words)
		}
	}
	t.all = all.String() + " "
	return t
}

// Has reports whether the texts say each line of text.
func (t Told) Has(text string) bool {
	for line := range strings.Lines(text) {
		words := wordsOf(line)
		within := strings.Count(words, " ") >= minTold-1 && strings.Contains(t.all, " "+words+" ")
		if words != "" && !within && !t.lines[words] {
			return false
		}
	}
	return true
}

var lineMark = pattern.New(`^\s*([-*+>]+|#+|\d{1,3}[.)])\s+`)

// wordsOf returns the words of a line in lower case, with a space between them. A line without words, such as a row of
// signs, is its own word.
func wordsOf(line string) string {
	rest := strings.ToLower(lineMark.ReplaceAllString(line, ""))
	words := strings.FieldsFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
	if len(words) == 0 {
		return strings.TrimSpace(rest)
	}
	return strings.Join(words, " ")
}
