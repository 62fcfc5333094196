package hooks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// node is a value in a JSON text, with its position in the text.
type node struct {
	start, end int     // the text of the value is text[start:end]
	open       byte    // '{' or '[', 0 for any other value
	parts      []*part // members or elements
}

// part is a member of an object or an element of an array.
type part struct {
	start int // the offset of the key; in an array, of the value
	key   string
	value *node
}

// parse parses a whole JSON text and returns its value.
func parse(text []byte) (*node, error) {
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); err != nil {
		return nil, fmt.Errorf("it is not JSON (comments are not supported): %w", err)
	}
	s := &scanner{text: text}
	return s.value(), nil
}

// scanner splits a text that is known to be valid JSON.
type scanner struct {
	text []byte
	at   int
}

// next skips white space and returns the byte after it.
func (s *scanner) next() byte {
	for strings.IndexByte(" \t\r\n", s.text[s.at]) >= 0 {
		s.at++
	}
	return s.text[s.at]
}

func (s *scanner) value() *node {
	n := &node{open: s.next(), start: s.at}
	switch n.open {
	case '{', '[':
		s.at++
		for s.next() != n.open+2 { // in ASCII '}' and ']' come two after '{' and '['
			if s.text[s.at] == ',' {
				s.at++
				s.next()
			}
			p := &part{start: s.at}
			if n.open == '{' {
				p.key = s.key()
			}
			p.value = s.value()
			n.parts = append(n.parts, p)
		}
		s.at++
	case '"':
		n.open = 0
		s.word()
	default:
		n.open = 0
		for s.at < len(s.text) && strings.IndexByte(" \t\r\n,]}", s.text[s.at]) < 0 {
			s.at++
		}
	}
	n.end = s.at
	return n
}

// word skips a string.
func (s *scanner) word() {
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
}

func (s *scanner) key() (key string) {
	from := s.at
	s.word()
	_ = json.Unmarshal(s.text[from:s.at], &key) // parse has checked that the text is valid JSON
	s.next()
	s.at++ // skip the colon
	return key
}

// member returns the value of the member with the key, or nil if there is none. Two members with the key are an error.
func (n *node) member(key string) (value *node, err error) {
	for _, p := range n.parts {
		if p.key == key {
			if value != nil {
				return nil, fmt.Errorf("%q is there twice", key)
			}
			value = p.value
		}
	}
	return value, nil
}

// style is the format of a JSON text: its line breaks and its indentation.
type style struct {
	newline string // the line break; " " for a text of one line
	unit    string
}

// styleOf returns the style in which the members of the root are written.
func styleOf(text []byte, root *node) style {
	if len(root.parts) == 0 {
		return style{"\n", "  "}
	}
	gap := string(text[root.start+1 : root.parts[0].start])
	_, unit, lines := strings.Cut(gap, "\n")
	switch {
	case !lines:
		return style{" ", ""}
	case strings.Contains(gap, "\r\n"):
		return style{"\r\n", unit}
	}
	return style{"\n", unit}
}

// line returns a line break and the indentation for a depth.
func (s style) line(depth int) string { return s.newline + strings.Repeat(s.unit, depth) }

// The function with returns the text with added as the last part of an object or array at a depth. In an empty
// object or array it writes added directly after the bracket and keeps the old content after it, so that the
// function without can restore the text exactly.
func with(text []byte, n *node, added string, s style, depth int) []byte {
	at, before := n.start+1, ""
	if len(n.parts) > 0 {
		at, before = n.parts[len(n.parts)-1].value.end, ","+s.line(depth)
	}
	return cut(text, at, at, before+added)
}

// The function without returns the text without the part i of an object or array.
func without(text []byte, n *node, i int) []byte {
	switch p := n.parts[i]; {
	case i > 0:
		return cut(text, n.parts[i-1].value.end, p.value.end, "")
	case len(n.parts) > 1:
		return cut(text, p.start, n.parts[1].start, "")
	default:
		return cut(text, n.start+1, p.value.end, "")
	}
}

// madeHere reports whether Install created the object or array together with its only part. If the object or array
// existed before and was empty, the part stands directly after the bracket; see with.
func madeHere(n *node) bool { return len(n.parts) == 1 && n.parts[0].start > n.start+1 }

// cut returns the text with other instead of text[from:to].
func cut(text []byte, from, to int, other string) []byte {
	return bytes.Join([][]byte{text[:from], []byte(other), text[to:]}, nil)
}
