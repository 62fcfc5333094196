package mask

import (
	"bytes"
	"strings"
)

// Script masks JavaScript and TypeScript, JSX included: quotes stay, what they hold
// goes, but code within ${} of a template stays.
func Script(text []byte) []byte {
	s := scanner{text: text, out: bytes.Clone(text)}
	s.run()
	return s.out
}

type scanner struct {
	text, out []byte
	at        int
	// templates are the brace depths at which a ${ of an open template began.
	templates []int
	depth     int
	last      int // place of the last byte of code before at, -1 at first
	// alone says, for a quote, up to where it is known to have no partner: a line of
	// a million quotes is not scanned a million times.
	alone [128]int
}

// maxTemplates bounds how deep templates in templates are followed.
const maxTemplates = 100

func (s *scanner) run() {
	s.last = -1
	if bytes.HasPrefix(s.text, []byte("#!")) {
		s.comment(lineEnd(s.text, 0))
	}
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '/' && s.next() == '/':
			s.comment(lineEnd(s.text, s.at))
		case c == '/' && s.next() == '*':
			end := bytes.Index(s.text[s.at+2:], []byte("*/"))
			if end < 0 {
				s.comment(len(s.text))
			} else {
				s.comment(s.at + 2 + end + 2)
			}
		case c == '/' && s.regexMayStand():
			s.regex()
		case c == '"' || c == '\'':
			s.quoted(c)
		case c == '`':
			s.step()
			s.template()
		case c == '{':
			s.depth++
			s.step()
		case c == '}':
			s.depth = max(s.depth-1, 0)
			s.step()
			if n := len(s.templates); n > 0 && s.templates[n-1] == s.depth {
				s.templates = s.templates[:n-1]
				s.template()
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		default:
			s.step()
		}
	}
}

func (s *scanner) step() { s.last = s.at; s.at++ }

func (s *scanner) next() byte {
	if s.at+1 < len(s.text) {
		return s.text[s.at+1]
	}
	return 0
}

func (s *scanner) comment(end int) {
	blank(s.out, s.at, end)
	s.at = end
}

// quoted skips a string of one line. A quote without a partner is an apostrophe in the
// text of an element.
func (s *scanner) quoted(q byte) {
	if s.at < s.alone[q] {
		s.step()
		return
	}
	for i := s.at + 1; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '\n':
			s.alone[q] = i
			s.step()
			return
		case q:
			blank(s.out, s.at+1, i)
			s.at, s.last = i+1, i
			return
		}
	}
	s.alone[q] = len(s.text)
	s.step()
}

// template skips the text of a template up to its end or its next ${.
func (s *scanner) template() {
	from := s.at
	for i := s.at; i < len(s.text); i++ {
		switch {
		case s.text[i] == '\\':
			i++
		case s.text[i] == '`':
			blank(s.out, from, i)
			s.at, s.last = i+1, i
			return
		case s.text[i] == '$' && i+1 < len(s.text) && s.text[i+1] == '{' && len(s.templates) < maxTemplates:
			blank(s.out, from, i+1) // the brace stays: code is in it
			s.templates = append(s.templates, s.depth)
			s.depth++
			s.at, s.last = i+2, i+1
			return
		}
	}
	blank(s.out, from, len(s.text))
	s.at = len(s.text)
}

// regexMayStand says whether a slash begins a regular expression: it does where a
// value cannot have ended.
func (s *scanner) regexMayStand() bool {
	if s.next() == '>' || s.last < 0 {
		return s.last < 0 && s.next() != '>'
	}
	c := s.text[s.last]
	switch c {
	case ')', ']', '}', '"', '\'', '`', '<':
		return false
	}
	if !Word(c) {
		return true
	}
	from := s.last
	for from > 0 && s.last-from < 12 && Word(s.text[from-1]) {
		from--
	}
	switch string(s.text[from : s.last+1]) {
	case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "yield", "await":
		return true
	}
	return false
}

// regex skips a regular expression, which ends on its line; else the slash divides.
func (s *scanner) regex() {
	if s.at < s.alone['/'] {
		s.step()
		return
	}
	class := false
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\n':
			s.alone['/'] = i
			s.step()
			return
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			blank(s.out, s.at+1, i)
			s.at, s.last = i+1, i
			return
		}
	}
	s.alone['/'] = len(s.text)
	s.step()
}

// IsScript says whether a language is JavaScript or one of its kin.
func IsScript(lang string) bool {
	return lang == "JavaScript" || lang == "TypeScript" || lang == "TSX" || lang == "JSX"
}

// Scripts are those languages, for Repo.All.
var Scripts = strings.Fields("JavaScript TypeScript TSX JSX")
