// Package lex separates code from comments and strings without a parser, so that checks can find a call in JavaScript
// or Python and ignore a comment that mentions the call. For Go it adds imports, constants and calls to the files that
// go/parser has parsed. It also tells from the path of a file what the file is for.
//
// Scan knows no grammar and never fails. In JavaScript and Python a quote without a partner on its line is an ordinary
// character, as in the text of an element; in other languages the rest of the line counts as the string. On a hostile
// or broken file the result is less exact, but Scan stays fast. The package owns no state. The checks of architect,
// sage, sentinel, healer and archaeologist call it.
package lex

import (
	"bytes"
	"slices"
	"sort"

	"agentdungeon/server/inspect"
)

// Kind is the kind of a span.
type Kind int

// Kinds of spans. Text outside of spans is code.
const (
	Comment Kind = iota
	String
)

// Span is a comment or a string, including its delimiters. In a JavaScript template, each part outside of the
// expressions is a string of its own.
type Span struct {
	Kind     Kind
	From, To int
}

// Source is a scanned text.
type Source struct {
	Text []byte
	// Code is a copy of Text with spaces in place of comments and of the content of strings. Line ends and the quotes
	// of strings stay, so that offsets in Code and Text are the same.
	Code  []byte
	Spans []Span

	*inspect.Index // of Text
}

// style describes the comments and strings of a language.
type style struct {
	line     []string // begin a comment up to the end of the line
	spaced   bool     // a line comment needs a space before it
	block    [2]string
	quotes   string // delimit strings that end with their line
	raw      string // delimits multi-line strings without escapes
	triple   bool   // Python's long strings
	template bool   // JavaScript's templates and regular expressions
	lone     bool   // a quote without a partner is an ordinary character
	chars    bool   // ' delimits a single character
}

var (
	cStyle    = style{line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"`, chars: true}
	jsStyle   = style{line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, template: true, lone: true}
	hashStyle = style{line: []string{"#"}, quotes: `"'`, spaced: true}
	sqlStyle  = style{line: []string{"--"}, block: [2]string{"/*", "*/"}, quotes: `"'`}
	styles    = map[string]style{
		"Go":         {line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"`, raw: "`", chars: true},
		"JavaScript": jsStyle, "TypeScript": jsStyle, "TSX": jsStyle, "JSX": jsStyle,
		"Python": {line: []string{"#"}, quotes: `"'`, triple: true, lone: true},
		"C":      cStyle, "C++": cStyle, "C#": cStyle, "Java": cStyle, "Rust": cStyle, "Kotlin": cStyle,
		"Swift": cStyle, "Scala": cStyle, "Dart": cStyle, "Zig": cStyle, "Objective-C": cStyle,
		"PHP":  {line: []string{"//", "#"}, block: [2]string{"/*", "*/"}, quotes: `"'`},
		"Ruby": hashStyle, "Shell": hashStyle, "YAML": hashStyle, "TOML": hashStyle, "Makefile": hashStyle,
		"Dockerfile": hashStyle, "Elixir": hashStyle, "R": hashStyle, "HCL": hashStyle,
		"SQL": sqlStyle, "Lua": {line: []string{"--"}, quotes: `"'`},
		"SCSS": {line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`},
		"CSS":  {block: [2]string{"/*", "*/"}, quotes: `"'`},
	}
)

// Knows reports whether Scan knows a language, by its name in inspect.File.
func Knows(lang string) bool { _, ok := styles[lang]; return ok }

// Scripts lists JavaScript and related languages, as arguments of Repo.All.
var Scripts = []string{"JavaScript", "TypeScript", "TSX", "JSX"}

// IsScript reports whether a language is in Scripts.
func IsScript(lang string) bool { return slices.Contains(Scripts, lang) }

// Scan scans a text in the given language. If the language is unknown, all of the text counts as code.
func Scan(lang string, text []byte) *Source {
	s := &scanner{Source: &Source{Text: text, Code: bytes.Clone(text), Index: inspect.NewIndex(text)}, style: styles[lang]}
	s.run()
	return s.Source
}

// At returns the span that contains an offset.
func (s *Source) At(off int) (Span, bool) {
	i := sort.Search(len(s.Spans), func(i int) bool { return s.Spans[i].To > off })
	if i < len(s.Spans) && s.Spans[i].From <= off {
		return s.Spans[i], true
	}
	return Span{}, false
}

// Strings returns the strings between two offsets.
func (s *Source) Strings(from, to int) []Span {
	var out []Span
	for i := sort.Search(len(s.Spans), func(i int) bool { return s.Spans[i].To > from }); i < len(s.Spans) && s.Spans[i].From < to; i++ {
		if s.Spans[i].Kind == String {
			out = append(out, s.Spans[i])
		}
	}
	return out
}

// CommentAt reports whether there is a comment between two offsets.
func (s *Source) CommentAt(from, to int) bool {
	for i := sort.Search(len(s.Spans), func(i int) bool { return s.Spans[i].To > from }); i < len(s.Spans) && s.Spans[i].From < to; i++ {
		if s.Spans[i].Kind == Comment {
			return true
		}
	}
	return false
}

// maxArgs is the number of bytes after the opening bracket in which Args looks for the closing bracket.
const maxArgs = 20_000

// Args returns the arguments in the brackets that open at an offset, without the white space around them, and the
// offset of the closing bracket. Commas separate the arguments. ok is false if there is no closing bracket.
func (s *Source) Args(open int) (args []Span, end int, ok bool) {
	depth, from := 0, open+1
	for i := open; i < len(s.Code) && i < open+maxArgs; i++ {
		switch s.Code[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			if depth == 0 {
				if a := s.trim(from, i); a.To > a.From {
					args = append(args, a)
				}
				return args, i, true
			}
		case ',':
			if depth == 1 {
				args = append(args, s.trim(from, i))
				from = i + 1
			}
		}
	}
	return nil, 0, false
}

func (s *Source) trim(from, to int) Span {
	space := func(i int) bool {
		if s.Code[i] > ' ' {
			return false
		}
		at, in := s.At(i)
		return !in || at.Kind == Comment
	}
	for from < to && space(from) {
		from++
	}
	for to > from && space(to-1) {
		to--
	}
	return Span{From: from, To: to}
}
