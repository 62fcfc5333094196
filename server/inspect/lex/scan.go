package lex

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

type scanner struct {
	*Source
	style style
	at    int
	last  int   // offset of the last code byte that is not a space, -1 at the beginning
	holes []int // depths of braces at which the open expressions of templates began
	depth int
	// alone has, for a quote or a slash, the offset up to which no partner was found, so that a line of a million
	// characters is searched for a partner only once.
	alone [128]int
}

func (s *scanner) run() {
	s.last = -1
	if s.style.template && has(s.Text, "#!") {
		s.comment(lineEnd(s.Text, 0))
	}
	for s.at < len(s.Text) {
		if s.skip() {
			continue
		}
		b := s.Text[s.at]
		switch b {
		case '{':
			s.depth++
		case '}':
			if n := len(s.holes); n > 0 && s.holes[n-1] == s.depth {
				s.holes = s.holes[:n-1]
				s.depth--
				s.last = s.at
				s.at++
				s.piece(s.at)
				continue
			}
			s.depth--
		}
		if b > ' ' {
			s.last = s.at
		}
		s.at++
	}
}

// skip moves past the comment or string that begins at the current offset. It reports whether one begins there.
func (s *scanner) skip() bool {
	b, rest := s.Text[s.at], s.Text[s.at:]
	for _, mark := range s.style.line {
		if b == mark[0] && has(rest, mark) && (!s.style.spaced || s.at == 0 || s.Text[s.at-1] <= ' ') {
			s.comment(lineEnd(s.Text, s.at))
			return true
		}
	}
	if open := s.style.block[0]; open != "" && has(rest, open) {
		end := len(s.Text)
		if i := bytes.Index(rest[2:], []byte(s.style.block[1])); i >= 0 {
			end = s.at + 2 + i + 2
		}
		s.comment(end)
		return true
	}
	switch {
	case s.style.triple && (has(rest, `"""`) || has(rest, `'''`)):
		s.str(tripled(s.Text, s.at), 3)
	case strings.IndexByte(s.style.quotes, b) >= 0:
		if s.at < s.alone[b] {
			return false
		}
		end, closed := quoted(s.Text, s.at)
		if !closed && s.style.lone {
			s.alone[b] = end
			return false
		}
		s.str(end, 1)
	case s.style.raw != "" && b == s.style.raw[0]:
		end := len(s.Text)
		if i := bytes.IndexByte(rest[1:], b); i >= 0 {
			end = s.at + 1 + i + 1
		}
		s.str(end, 1)
	case s.style.chars && b == '\'':
		end := char(s.Text, s.at)
		if end == 0 {
			return false
		}
		s.str(end, 1)
	case s.style.template && b == '`':
		s.piece(s.at)
	case s.style.template && b == '/' && s.at >= s.alone[b] && !has(rest, "/>") && s.beforePattern():
		end, closed := pattern(s.Text, s.at)
		if !closed {
			s.alone[b] = end
			return false
		}
		s.str(end, 1)
	default:
		return false
	}
	return true
}

func has(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

func (s *scanner) comment(end int) {
	s.Spans = append(s.Spans, Span{Comment, s.at, end})
	s.blank(s.at, end)
	s.at = end
}

func (s *scanner) str(end, marks int) {
	s.Spans = append(s.Spans, Span{String, s.at, end})
	closed := end-marks >= s.at+marks && string(s.Text[end-marks:end]) == string(s.Text[s.at:s.at+marks])
	switch {
	case closed:
		s.blank(s.at+marks, end-marks)
	case end > s.at+marks:
		s.blank(s.at+marks, end)
	}
	s.last = end - 1
	s.at = end
}

// piece scans one part of a template: the text after its opening mark or after an expression, up to the next expression
// or the end.
func (s *scanner) piece(from int) {
	i := from
	if i < len(s.Text) && s.Text[i] == '`' && i == s.at && (s.last < 0 || s.Text[s.last] != '}' || s.last != i-1) {
		i++
	}
	for i < len(s.Text) {
		switch {
		case s.Text[i] == '\\':
			i++
		case s.Text[i] == '`':
			i++
			s.end(from, i, i-1)
			return
		case s.Text[i] == '$' && i+1 < len(s.Text) && s.Text[i+1] == '{':
			s.end(from, i, i)
			s.depth++
			s.holes = append(s.holes, s.depth)
			s.last = i + 1
			s.at = i + 2
			return
		}
		i++
	}
	s.end(from, min(i, len(s.Text)), min(i, len(s.Text)))
}

func (s *scanner) end(from, to, blank int) {
	if to > from {
		s.Spans = append(s.Spans, Span{String, from, to})
		if s.Text[from] == '`' && from < blank {
			from++
		}
		s.blank(from, blank)
		s.last = to - 1
	}
	s.at = to
}

func (s *scanner) blank(from, to int) {
	for i := from; i < to; i++ {
		if s.Code[i] != '\n' && s.Code[i] != '\r' {
			s.Code[i] = ' '
		}
	}
}

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// quoted returns the end of the string at an offset. A string without a closing quote ends with its line, and closed is
// false.
func quoted(text []byte, at int) (end int, closed bool) {
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[at]:
			return i + 1, true
		case '\n':
			return i, false
		}
	}
	return len(text), false
}

// tripled returns the end of a string in triple quotes.
func tripled(text []byte, at int) int {
	for i := at + 3; i < len(text); i++ {
		if text[i] == '\\' {
			i++
		} else if text[i] == text[at] && has(text[i:], string(text[at:at+3])) {
			return i + 3
		}
	}
	return len(text)
}

// char returns the end of the character literal in single quotes at an offset. It returns 0 if the quote begins no
// literal, as for a lifetime in Rust.
func char(text []byte, at int) int {
	i := at + 1
	if i >= len(text) {
		return 0
	}
	if text[i] != '\\' {
		_, n := utf8.DecodeRune(text[i:])
		if i+n < len(text) && text[i+n] == '\'' {
			return i + n + 1
		}
		return 0
	}
	for i += 2; i < len(text) && i < at+12; i++ {
		if text[i] == '\'' {
			return i + 1
		}
	}
	return 0
}

var patternWords = []string{"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "do", "else", "instanceof", "yield", "await"}

// beforePattern reports whether a slash at the current offset begins a regular expression and is not a
// division, judging by the code before it.
func (s *scanner) beforePattern() bool {
	if s.last < 0 {
		return true
	}
	b := s.Text[s.last]
	if strings.IndexByte("(,=:[!&|?{;+-*%>~^", b) >= 0 {
		return true
	}
	from := s.last
	for from >= 0 && Word(s.Text[from]) && s.last-from < 12 {
		from--
	}
	return slices.Contains(patternWords, string(s.Text[from+1:s.last+1])) && (from < 0 || s.Text[from] != '.')
}

// Word reports whether a byte can be part of a name.
func Word(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b >= 0x80
}

// pattern returns the end of the regular expression at an offset. If the expression does not end on its line, closed is
// false and end is the end of the line.
func pattern(text []byte, at int) (end int, closed bool) {
	class := false
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1, true
			}
		case '\n':
			return i, false
		}
	}
	return len(text), false
}

// Pairs returns, for the offset of each opening bracket, the offset of its closing bracket, and -1 for all other
// offsets. It takes one pass at any depth of nesting.
func Pairs(code []byte) []int32 {
	out := make([]int32, len(code))
	var open []int32 // at most as many as the text has bytes
	for i, c := range code {
		out[i] = -1
		switch c {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			if n := len(open); n > 0 {
				out[open[n-1]] = int32(i)
				open = open[:n-1]
			}
		}
	}
	return out
}
